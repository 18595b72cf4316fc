"""Which mentions are of the same entity: rules that can be explained, a file each."""
