"""From a network's scores to entities and relations, in numpy, once for all runtimes."""
