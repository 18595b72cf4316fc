#!/bin/sh
# Pins what pyproject.toml asks for, for Python 3.10 to 3.14: constraints.txt, and constraints-hashed.txt with
# the checksums of files, for what runs a model. Pins that still hold are kept; --upgrade takes the newest.
#   sh recipes/constraints.sh UV [--upgrade]
set -eu
uv=$1
shift
pin() {
	out=$1
	shift
	"$uv" pip compile --quiet --universal --python-version 3.10 --no-annotate --no-header -o "$out.new" "$@"
}
cp constraints.txt constraints.txt.new
echo hatchling | pin constraints.txt pyproject.toml - --all-extras "$@"
{
	echo "# What CI runs, for Python 3.10 to 3.14. pyproject.toml keeps open ranges; these pins make a run repeatable."
	echo "# Made by: make constraints. A line with a marker holds for the Pythons that it names."
	cat constraints.txt.new
} >constraints.txt
rm constraints.txt.new
pin constraints-hashed.txt pyproject.toml --generate-hashes -c constraints.txt \
	--extra exports --extra facts --extra hub --extra postgresql --extra serve --extra stats --extra tables \
	--extra transformers
{
	echo "# The same pins with the SHA-256 of every file that an index may give for them, for what runs a model:"
	echo "# the base and the extras exports, facts, hub, postgresql, serve, stats, tables, transformers. Made by:"
	echo "# make constraints. To use them:"
	echo "#   pip install --require-hashes -r constraints-hashed.txt && pip install --no-deps ."
	echo "# All of it is installed, so what is large is not in it: ray, spacy, train. Pins of your own choice:"
	echo "#   uv pip compile --generate-hashes -c constraints.txt --extra spacy pyproject.toml"
	cat constraints-hashed.txt.new
} >constraints-hashed.txt
rm constraints-hashed.txt.new
