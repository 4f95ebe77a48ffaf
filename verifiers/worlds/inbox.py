"""An inbox: messages in folders, which can be found, read, answered, forwarded, moved and deleted.

State: `{"messages": {message_id: {"sender", "recipient", "subject", "body", "folder"}}}`; what is sent lies in the
folder `sent`. Not promised: delivery, threads, attachments, the order of arrival.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import PEOPLE, choice, entry, fresh, only, room_in, takes, text, world

MAX_SUBJECT = 200
FOLDERS = ("inbox", "archive", "receipts", "travel", "work")
ME = "me@example.com"
SUBJECTS: Mapping[str, str] = {
    "Quarterly figures": "The figures of the last quarter are in the shared folder.",
    "Lunch on Thursday": "Shall we try the new place by the river?",
    "Invoice for the printer": "Please find the invoice for the printer below.",
    "Flight confirmation": "Your seat by the window is confirmed.",
    "Broken projector": "The projector in the large room does not start.",
    "Holiday plans": "We are thinking of the coast this summer.",
    "Contract draft": "The draft is ready for your comments.",
    "Welcome aboard": "Your first day starts with a tour of the building.",
    "Parking permit": "Your permit has to be renewed soon.",
    "Newsletter topics": "Do you have a topic for the next newsletter?",
    "Password policy": "From now on passwords need twelve characters.",
    "Concert tickets": "Two tickets are left at the box office.",
    "Survey results": "Most people prefer the morning shift.",
    "Delivery delay": "Your parcel will arrive a few days late.",
}
BODIES = (
    "Thank you, I will look at it soon.", "Sounds good to me.", "Please send me the details.", "I cannot make it.",
    "Let us talk about it on the phone.", "The answer is yes.", "Could you check this again?", "All done on my side.",
)  # fmt: skip
NEW_SUBJECTS = ("Meeting room", "Short question", "Travel expenses", "Good news", "Spare keys", "Next steps")


def address(name: str) -> str:
    """The address of a made-up person."""
    return f"{name.casefold().replace(' ', '.')}@example.com"


def make(random: Random) -> State:
    """Five to nine messages to me, half of them in the folder `inbox`."""
    messages: dict[str, Any] = {}
    for subject in random.sample(list(SUBJECTS), random.randint(5, 9)):
        message = {
            "sender": address(random.choice(PEOPLE)),
            "recipient": ME,
            "subject": subject,
            "body": SUBJECTS[subject],
            "folder": random.choice(("inbox", *FOLDERS)),
        }
        messages[fresh(messages, "M", message)] = message
    return {"messages": messages}


def _list(state: State, given: Mapping[str, Any]) -> Json:
    return {
        "messages": [
            {"message_id": name, "sender": message["sender"], "subject": message["subject"]}
            for name, message in sorted(state["messages"].items())
            if message["folder"] == given["folder"]
        ]
    }


def _find(state: State, given: Mapping[str, Any]) -> Json:
    name = only(state["messages"], "subject", given["subject"], "messages")
    message = state["messages"][name]
    return {"message_id": name, "sender": message["sender"], "folder": message["folder"]}


def _read(state: State, given: Mapping[str, Any]) -> Json:
    return dict(entry(state["messages"], given["message_id"], "message"))


def _sent(state: State, recipient: str, subject: str, body: str) -> Json:
    room_in(state["messages"], "message")
    if len(subject) > MAX_SUBJECT:
        raise ToolFailure("the subject is too long")
    message = {"sender": ME, "recipient": recipient, "subject": subject, "body": body, "folder": "sent"}
    name = fresh(state["messages"], "M", message)
    state["messages"][name] = message
    return {"message_id": name}


def _send(state: State, given: Mapping[str, Any]) -> Json:
    return _sent(state, given["recipient"], given["subject"], given["body"])


def _reply(state: State, given: Mapping[str, Any]) -> Json:
    message = entry(state["messages"], given["message_id"], "message")
    return _sent(state, message["sender"], f"Re: {message['subject']}", given["body"])


def _forward(state: State, given: Mapping[str, Any]) -> Json:
    message = entry(state["messages"], given["message_id"], "message")
    return _sent(state, given["recipient"], f"Fwd: {message['subject']}", message["body"])


def _move(state: State, given: Mapping[str, Any]) -> Json:
    message = entry(state["messages"], given["message_id"], "message")
    if message["folder"] == given["folder"]:
        raise ToolFailure(f"the message is in the folder {given['folder']} already")
    message["folder"] = given["folder"]
    return {"moved": message["subject"]}


def _delete(state: State, given: Mapping[str, Any]) -> Json:
    message = entry(state["messages"], given["message_id"], "message")
    del state["messages"][given["message_id"]]
    return {"deleted": message["subject"]}


_MESSAGE = text("Identifier of the message, such as M1234", 20)
_RECIPIENT = text("Email address of the recipient")
_BODY = text("Text of the message", 2_000)

INBOX = world(
    "inbox",
    make,
    Tool("list_messages", "List the messages in a folder.", takes(folder=choice("Folder to list", FOLDERS)), _list),
    Tool(
        "find_message",
        "Find the one message whose subject contains a text; gives its identifier and sender.",
        takes(subject=text("Text to look for in subjects")),
        _find,
    ),
    Tool("read_message", "Show a whole message.", takes(message_id=_MESSAGE), _read),
    Tool(
        "send_message",
        "Write and send a new message.",
        takes(recipient=_RECIPIENT, subject=text("Subject of the message"), body=_BODY),
        _send,
    ),
    Tool("reply_to_message", "Answer the sender of a message.", takes(message_id=_MESSAGE, body=_BODY), _reply),
    Tool(
        "forward_message",
        "Send a copy of a message on to somebody else.",
        takes(message_id=_MESSAGE, recipient=_RECIPIENT),
        _forward,
    ),
    Tool(
        "move_message",
        "Put a message into another folder.",
        takes(message_id=_MESSAGE, folder=choice("Folder to put it into", FOLDERS)),
        _move,
    ),
    Tool("delete_message", "Delete a message for good.", takes(message_id=_MESSAGE), _delete),
)
