"""English abbreviations that end in a period: which keep it, and which may also end a sentence."""

from __future__ import annotations

# A name follows, so a sentence never ends here.
_TITLES = """
    Adm Amb Atty Brig Capt Cdr Cmdr Col Cpl Det Dr Drs Fr Gen Gens Gov Govs Hon Insp Lt Maj Messrs Mme Mlle
    Mr Mrs Ms Msgr Pfc Pres Prof Profs Pvt Rep Reps Rev Sen Sens Sgt Spc Supt
"""
# These stand before a name or a number, or close one; the next word decides.
_NAMES = """
    Assn Assoc Ave Blvd Bros Co Corp Cos Dept Esq Ft Hwy Inc Intl Jr Ltd Mfg Mt Natl Pkwy Rd Rte Sq Sr St Ste
    Univ
"""
_STATES = """
    Ala Alta Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Kans Ky La Mass Md Mich Minn Miss Mo Mont Neb
    Nebr Nev Okla Ont Ore Pa Que Sask Tenn Tex Va Vt Wash Wis Wisc Wyo
"""
_DOTTED_STATES = "B.C D.C N.C N.D N.H N.J N.M N.Y R.I S.C S.D W.Va"
_DATES = "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri"
_SMALL = "al approx ca cf ed eds etc ft lb lbs oz resp vs viz"
# Abbreviations only where a number follows: "No. 5", but "She said no."
_COUNTERS = "art ch eq eqs fig figs no nos pp sec vol vols"

# A capital after an abbreviation is mostly a name ("U.S. Senate"); these words open a sentence.
_OPENERS = """
    A After Although An And Another As At Because Before Both But By Despite During Each Earlier Even
    For From He Her Here His How However I If In Instead It Its Last Later Many Meanwhile More Most My
    No None Nor Not Now On Once One Only Or Other Others Our Over She Since So Some Still Such That The
    Their Then There These They This Those Though Through Thus To Today Two Under Unlike Until We What
    When Where Whether Which While Who Why With Without Yet You Your
"""

TITLES = frozenset(f"{_TITLES} {_TITLES.upper()}".split())
PLACES = frozenset(f"{_STATES} {_DOTTED_STATES}".split())
ABBREVIATIONS = (
    TITLES | PLACES | frozenset(f"{_NAMES} {_NAMES.upper()} {_DATES} {_DATES.upper()} {_SMALL}".split())
)
COUNTERS = frozenset(f"{_COUNTERS} {_COUNTERS.title()}".split())
OPENERS = frozenset(_OPENERS.split())
