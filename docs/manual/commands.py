"""Write a page for each command of `tyto`, from `tyto help --json`."""

import json
import subprocess

from groups import toctree
from markup import block, field, heading, index, literal, table


def described(tyto):
    """Return the commands as the binary describes them."""
    done = subprocess.run(
        [tyto, "help", "--json"], capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout)["commands"]


def option(o):
    """Return an option with its argument, as the help writes it."""
    return literal(o["name"] + (" " + o["argument"] if o["argument"] else ""))


def meaning(o, links):
    """Return the meaning of an option and the words that it takes."""
    text = links.line(o["doc"])
    if o["values"]:
        text += "%s One of: %s." % (
            "" if text.endswith(".") else ".",
            ", ".join(literal(v) for v in o["values"]),
        )
    return text


def page(command, links, synonyms, indexed):
    """Return the page of one command.  An option of several commands is in the index once: indexed
    has their names."""
    name = command["name"]
    positional = [o for o in command["options"] if not o["name"].startswith("-")]
    others = [o for o in command["options"] if o["name"].startswith("-")]
    usage = "tyto %s %s" % (
        name,
        " ".join(o["name"] + ("..." if o["repeatable"] else "") for o in positional),
    )
    entries = ["tyto " + name] + [
        "%s (tyto %s)" % (w.replace("_", " "), name) for w in synonyms.get(("COMMAND", name), [])
    ]
    for o in others:
        if o["name"] in indexed:
            continue
        indexed.add(o["name"])
        for word in synonyms.get(("OPTION", o["name"].lstrip("-").replace("-", "_")), []):
            entries.append("%s (tyto %s %s)" % (word.replace("_", " "), name, o["name"]))
    parts = [
        index(entries),
        heading("tyto " + name),
        links.line(command["doc"]),
        block([usage.rstrip() + " [OPTION...]"], "text"),
    ]
    if positional:
        parts.append("\n".join(field(literal(o["name"]), links.line(o["doc"])) for o in positional))
    if command["examples"]:
        parts += [heading("Examples", "-"), block(command["examples"], "sh")]
    parts += [
        heading("Options", "-"),
        table(["option", "meaning"], [[option(o), meaning(o, links)] for o in others], "options"),
    ]
    return "\n\n".join(parts) + "\n"


def contents(commands, links):
    """Return the page that lists the commands."""
    return (
        "\n\n".join(
            [
                index(["commands", "command line"]),
                heading("Commands"),
                "``tyto COMMAND --help`` prints the same. :doc:`Commands in pipes and scripts "
                "</guide/commands>` has rules that hold "
                "for all.",
                table(
                    ["command", "purpose"],
                    [
                        [":doc:`tyto %s <%s>`" % (c["name"], c["name"]), links.line(c["doc"])]
                        for c in commands
                    ],
                    "rows",
                ),
                toctree([c["name"] for c in commands]),
            ]
        )
        + "\n"
    )
