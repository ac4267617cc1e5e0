"""How well judges agree with people, people with each other, and a judge with itself."""

from recall_core.agreement.measures import (
    FEWEST,
    FEWEST_FOR_COLOUR,
    Agreement,
    Confusion,
    Measure,
    Name,
    Rated,
    agreement_on,
    level_of,
)
from recall_core.agreement.people import (
    Metric,
    Opinion,
    PairOfPeople,
    PeopleAgreement,
    krippendorff_alpha,
    people_agreement,
)
from recall_core.agreement.repeats import SelfAgreement, self_agreement

__all__ = [
    "FEWEST",
    "FEWEST_FOR_COLOUR",
    "Agreement",
    "Confusion",
    "Measure",
    "Metric",
    "Name",
    "Opinion",
    "PairOfPeople",
    "PeopleAgreement",
    "Rated",
    "SelfAgreement",
    "agreement_on",
    "krippendorff_alpha",
    "level_of",
    "people_agreement",
    "self_agreement",
]
