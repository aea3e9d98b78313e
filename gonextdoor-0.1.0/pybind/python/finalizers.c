// Finalizers that no signal can interrupt.
//
// CPython runs the handlers of signals between bytecodes, also in a finalizer that is written in Python. There the
// exception of a handler, such as the KeyboardInterrupt of Ctrl-C, is printed ("Exception ignored in ...") and lost.
// The types below have finalizers in C, so a signal that arrives meanwhile is handled by the code that dropped the
// object.
//
// A forked child inherits the code and the types. They do not call Go there for objects of the parent.

#include <Python.h>

#if PY_VERSION_HEX >= 0x030D0000
#define FINALIZING Py_IsFinalizing
#else
#define FINALIZING _Py_IsFinalizing
#endif

// gonextdoor_generation is the number of the extension's copy in this process. native.py sets it after a fork.
long long gonextdoor_generation;

#define MOST 100  // calls of a function that is interrupted again and again

static PyObject *drop_name, *number_name, *generation_name, *end_name;

// in_this_process reports whether an object of that generation can be released: always if it is None.
static int in_this_process(PyObject* generation) {
  return generation == Py_None || PyLong_AsLongLong(generation) == gonextdoor_generation;
}

// owner_finalize calls self._drop(self._number), a function that is written in C. Its errors are ignored. It does
// nothing if the attributes are absent, because the constructor failed, in a forked child, and at the end of the
// interpreter.
static void owner_finalize(PyObject* self) {
  if (FINALIZING()) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* generation = PyObject_GetAttr(self, generation_name);
  if (generation != NULL && in_this_process(generation)) {
    PyObject *drop = PyObject_GetAttr(self, drop_name), *number = PyObject_GetAttr(self, number_name);
    if (drop != NULL && number != NULL) Py_XDECREF(PyObject_CallOneArg(drop, number));
    Py_XDECREF(drop);
    Py_XDECREF(number);
  }
  Py_XDECREF(generation);
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

// raise_later raises an exception in the main thread, at its next bytecode that handles signals.
static int raise_later(void* exception) {
  PyErr_SetObject((PyObject*)Py_TYPE(exception), exception);
  Py_DECREF(exception);
  return -1;
}

// to_its_end calls a method of an object, or the object if the name is NULL, until no handler of a signal interrupts
// the call. The first exception is raised when the finalizer has returned. The function must raise none itself, and a
// second call must continue an incomplete one.
static void to_its_end(PyObject* callable, PyObject* name) {
  PyObject *type, *value, *traceback, *first = NULL;
  PyErr_Fetch(&type, &value, &traceback);
  for (int calls = 0; calls < MOST; calls++) {
    PyObject* result = name != NULL ? PyObject_CallMethodNoArgs(callable, name) : PyObject_CallNoArgs(callable);
    if (result != NULL) {
      Py_DECREF(result);
      break;
    }
    PyObject *its_type, *its_value, *its_traceback;
    PyErr_Fetch(&its_type, &its_value, &its_traceback);
    PyErr_NormalizeException(&its_type, &its_value, &its_traceback);
    if (first == NULL) {
      first = its_value;
      Py_XINCREF(first);
    }
    Py_XDECREF(its_type);
    Py_XDECREF(its_value);
    Py_XDECREF(its_traceback);
  }
  if (first != NULL && Py_AddPendingCall(raise_later, first) < 0) {  // 32 calls are pending
    PyErr_SetObject((PyObject*)Py_TYPE(first), first);
    PyErr_WriteUnraisable(callable);
    Py_DECREF(first);
  }
  PyErr_Restore(type, value, traceback);
}

// closing_finalize calls self._end(). It does nothing at the end of the interpreter, when modules have no names any
// more and no other thread runs.
static void closing_finalize(PyObject* self) {
  if (!FINALIZING()) to_its_end(self, end_name);
}

// gonextdoor_to_its_end calls a function without arguments, as to_its_end does, and returns None.
PyObject* gonextdoor_to_its_end(PyObject* function) {
  to_its_end(function, NULL);
  Py_RETURN_NONE;
}

// gonextdoor_forget removes a key from a dict, if the dict still exists. It is the callback of weak references.
PyObject* gonextdoor_forget(PyObject* reference_to_dict, PyObject* key, PyObject* gone) {
  (void)gone;
  PyObject* dict = PyObject_CallNoArgs(reference_to_dict);
  if (dict != NULL && dict != Py_None) PyDict_DelItem(dict, key);
  Py_XDECREF(dict);
  PyErr_Clear();
  Py_RETURN_NONE;
}

static PyObject* new_type(const char* name, void* finalize) {
  PyType_Slot slots[] = {{Py_tp_finalize, finalize}, {0, NULL}};
  PyType_Spec spec = {name, sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return PyType_FromSpec(&spec);
}

// gonextdoor_finalizers returns the types Owner and Closing, which native.py describes.
PyObject* gonextdoor_finalizers(void) {
  drop_name = PyUnicode_InternFromString("_drop");
  number_name = PyUnicode_InternFromString("_number");
  generation_name = PyUnicode_InternFromString("_generation");
  end_name = PyUnicode_InternFromString("_end");
  if (!drop_name || !number_name || !generation_name || !end_name) return NULL;
  return Py_BuildValue("(NN)", new_type("gonextdoor._core.native.Owner", owner_finalize),
                       new_type("gonextdoor._core.native.Closing", closing_finalize));
}
