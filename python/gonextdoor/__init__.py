"""gonextdoor: samples large graphs for graph machine learning."""
