package pybind

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// NewApp makes an app from its name and its parameters in JSON.
func NewApp(name string, params string) (handle int64, err error) {
	defer guard(&err)
	a, err := app.Parse(name, params)
	if err != nil {
		return 0, err
	}
	return apps.add(a), nil
}

// DropApp ends an app.
func DropApp(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = apps.drop(handle)
	return known, nil
}

// AppSelector names the selector that the app's choices on a graph are made by.
func AppSelector(handle int64, on int64) (name string, err error) {
	defer guard(&err)
	a, err := apps.get(handle)
	if err != nil {
		return "", err
	}
	g, err := graphs.get(on)
	if err != nil {
		return "", err
	}
	view, err := app.View(a, g, graph.Options{})
	if err != nil {
		return "", err
	}
	bound, err := a.Bind(view)
	if err != nil {
		return "", err
	}
	return bound.Selector(), nil
}
