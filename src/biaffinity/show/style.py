"""The stylesheet of drawings."""

from __future__ import annotations

from biaffinity.show.colours import DARK, KINDS, LIGHT, Theme

FONTS = "Helvetica Neue,Helvetica,Arial,Liberation Sans,Nimbus Sans,Roboto,Noto Sans,sans-serif"
# How a page says that it is dark or light: with our attribute, or as notebooks do.
_SAYS_DARK = ('[data-theme="dark"]', '[data-jp-theme-light="false"]', ".vscode-dark")
_SAYS_LIGHT = ('[data-theme="light"]', '[data-jp-theme-light="true"]', ".vscode-light")


def _variables(theme: Theme) -> str:
    tones = "".join(
        f"--fill-{kind}:{tone.fill};--line-{kind}:{tone.line};--name-{kind}:{tone.name};"
        for kind, tone in enumerate(theme.tones)
    )
    return f"--paper:{theme.paper};--ink:{theme.ink};{tones}"


def _told(says: tuple[str, ...]) -> str:
    return ",".join(f"{place} .biaffinity,.biaffinity{place}" for place in says)


def _stylesheet() -> str:
    fonts = ",".join(f'"{name}"' if " " in name else name for name in FONTS.split(","))
    kinds = "".join(
        f".biaffinity .kind-{kind}{{--fill:var(--fill-{kind});"
        f"--line:var(--line-{kind});--name:var(--name-{kind})}}\n"
        for kind in range(KINDS)
    )
    light, dark = _variables(LIGHT), _variables(DARK)
    return f"""\
.biaffinity{{{light}max-width:100%;height:auto;font-family:{fonts}}}
@media (prefers-color-scheme:dark){{.biaffinity{{{dark}}}}}
{_told(_SAYS_LIGHT)}{{{light}}}
{_told(_SAYS_DARK)}{{{dark}}}
{kinds}\
.biaffinity .paper{{fill:var(--paper)}}
.biaffinity .words{{fill:var(--ink)}}
.biaffinity .entity rect{{fill:var(--fill);stroke:var(--line)}}
.biaffinity .entity text{{fill:var(--name)}}
.biaffinity .relation .arc{{stroke:var(--line)}}
.biaffinity .relation .arrow{{fill:var(--line)}}
.biaffinity .relation rect{{fill:var(--paper);stroke:var(--line)}}
.biaffinity .relation text{{fill:var(--name)}}
.biaffinity .relation:hover .arc{{stroke-width:2.5}}
.biaffinity .relation:hover rect,.biaffinity .entity:hover rect{{stroke-width:2}}
"""


STYLE = _stylesheet()
