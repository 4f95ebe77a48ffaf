"""A calendar: events of one person, with a day, a start, a length and attendees.

State: `{"events": {event_id: {"title", "date", "start_time", "minutes", "attendees": [name]}}}`. Events may overlap;
`find_free_time` looks between 08:00 and 18:00. Not promised: time zones, repetition, events over midnight.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import (
    PEOPLE,
    clock,
    day,
    entry,
    fresh,
    room_in,
    some_day,
    some_time,
    takes,
    text,
    whole,
    world,
)

TITLES = (
    "Budget review", "Dentist", "Team lunch", "Design workshop", "Piano lesson", "Project kickoff", "Yoga class",
    "Parent meeting", "Job interview", "Sprint planning", "Car inspection", "Book club", "Flight to Oslo",
    "Contract signing", "Garden party", "Sales call", "Eye exam", "Choir rehearsal", "Fire drill", "Press briefing",
)  # fmt: skip
LENGTHS = (15, 20, 30, 45, 60, 75, 90, 120)
_OPENS, _CLOSES = 8 * 60, 18 * 60


def make(random: Random) -> State:
    """Four to nine events, two of them on one day."""
    events: dict[str, Any] = {}
    today = some_day(random)
    for place, title in enumerate(random.sample(TITLES, random.randint(4, 9))):
        event: dict[str, Any] = {
            "title": title,
            "date": today if place < 2 else some_day(random),
            "start_time": some_time(random),
            "minutes": random.choice(LENGTHS),
            "attendees": sorted(random.sample(PEOPLE, random.randint(0, 3))),
        }
        events[fresh(events, "E", event)] = event
    return {"events": events}


def _create(state: State, given: Mapping[str, Any]) -> Json:
    events = state["events"]
    room_in(events, "event")
    event = {
        "title": given["title"],
        "date": given["date"],
        "start_time": given["start_time"],
        "minutes": int(given["minutes"]),
        "attendees": [],
    }
    name = fresh(events, "E", event)
    events[name] = event
    return {"event_id": name}


def _list(state: State, given: Mapping[str, Any]) -> Json:
    events = state["events"]
    names = sorted((event["start_time"], name) for name, event in events.items() if event["date"] == given["date"])
    return {
        "events": [
            {"event_id": name, **{key: events[name][key] for key in ("title", "start_time", "minutes")}}
            for _, name in names
        ]
    }


def _find(state: State, given: Mapping[str, Any]) -> Json:
    wanted = given["title"].casefold()
    fits = [
        (event["date"], event["start_time"], name)
        for name, event in state["events"].items()
        if wanted in event["title"].casefold()
    ]
    if not fits:
        raise ToolFailure(f"no event has {given['title']!r} in its title")
    date, start_time, name = min(fits)
    return {"event_id": name, "date": date, "start_time": start_time}


def _get(state: State, given: Mapping[str, Any]) -> Json:
    event = entry(state["events"], given["event_id"], "event")
    return {**event, "attendees": list(event["attendees"])}


def _move(state: State, given: Mapping[str, Any]) -> Json:
    event = entry(state["events"], given["event_id"], "event")
    event |= {"date": given["date"], "start_time": given["start_time"]}
    return {"moved": event["title"]}


def _cancel(state: State, given: Mapping[str, Any]) -> Json:
    event = entry(state["events"], given["event_id"], "event")
    del state["events"][given["event_id"]]
    return {"cancelled": event["title"], "date": event["date"], "start_time": event["start_time"]}


def _invite(state: State, given: Mapping[str, Any]) -> Json:
    event = entry(state["events"], given["event_id"], "event")
    if given["attendee"] in event["attendees"]:
        raise ToolFailure(f"{given['attendee']} is invited already")
    room_in(event["attendees"], "attendee")
    # Sorted, so that the order of two invitations is no matter.
    event["attendees"] = sorted([*event["attendees"], given["attendee"]])
    return {"title": event["title"], "attendees": len(event["attendees"])}


def _free(state: State, given: Mapping[str, Any]) -> Json:
    event = entry(state["events"], given["event_id"], "event")
    start = max(_OPENS, _minute(event["start_time"]) + event["minutes"])
    busy = sorted(
        (_minute(other["start_time"]), other["minutes"])
        for other in state["events"].values()
        if other["date"] == event["date"]
    )
    for begin, minutes in busy:
        if begin - start >= given["minutes"]:
            break
        start = max(start, begin + minutes)
    if start + given["minutes"] > _CLOSES:
        raise ToolFailure(f"{event['date']} has no {given['minutes']} free minutes after the event and before 18:00")
    return {"date": event["date"], "start_time": _clock(start), "end_time": _clock(start + int(given["minutes"]))}


def _minute(start_time: str) -> int:
    hour, minute = start_time.split(":")
    return int(hour) * 60 + int(minute)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


_EVENT = text("Identifier of the event, such as E1234", 20)
_LONG = whole("Length in minutes", 5, 600)

CALENDAR = world(
    "calendar",
    make,
    Tool(
        "create_event",
        "Put a new event into the calendar.",
        takes(
            title=text("Title of the event"),
            date=day("Day of the event"),
            start_time=clock("Start, HH:MM in 24 hours"),
            minutes=_LONG,
        ),
        _create,
    ),
    Tool("list_events", "List the events of one day, in order.", takes(date=day("Day to list")), _list),
    Tool(
        "find_event",
        "Find the earliest event whose title contains a text; gives its identifier.",
        takes(title=text("Text to look for in titles")),
        _find,
    ),
    Tool("get_event", "Show the details and attendees of an event.", takes(event_id=_EVENT), _get),
    Tool(
        "move_event",
        "Move an event to another day and start time.",
        takes(event_id=_EVENT, date=day("New day"), start_time=clock("New start, HH:MM in 24 hours")),
        _move,
    ),
    Tool("cancel_event", "Remove an event from the calendar.", takes(event_id=_EVENT), _cancel),
    Tool(
        "invite_attendee",
        "Add a person to the attendees of an event.",
        takes(event_id=_EVENT, attendee=text("Full name of the person")),
        _invite,
    ),
    Tool(
        "find_free_time",
        "Find the first gap of a given length after an event, on its day and before 18:00.",
        takes(event_id=_EVENT, minutes=_LONG),
        _free,
    ),
)
