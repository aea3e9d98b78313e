// The driver library, opened when it is first needed.
#ifndef GND_LIBCUDA_H
#define GND_LIBCUDA_H

// One function of the driver: where it is, at first the code that looks it up, and its name.
struct gnd_entry {
	void *target;
	const char *name;
};

// Opens the library if that was not tried yet. Gives 0, or a CUresult and why.
int gnd_libcuda_status(const char **why);

#endif
