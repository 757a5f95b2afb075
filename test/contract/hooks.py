"""What `npm run contract` expects of an answer beyond what Schemathesis checks by itself."""

import os

import schemathesis

# Rules that JSON Schema cannot say. A request that follows the schema may be refused with 400 for one of these alone:
# the path of a detail, what its message begins with, and why the schema does not say it.
RULES = [
    ("cursor", "cursor was not issued by this archive", "it is signed: nobody else can make one"),
    ("query", "query must be at most 8192 bytes", "it bounds all parameters together, as they are encoded"),
    ("offset", "offset and limit together must not exceed", "it bounds a sum"),
    ("body", "body must name only one of serverId, channelId and threadId", "it lists members, not which exclude each other"),
    ("expiresAt", "expiresAt must be a time in the future", "it depends on the time of the request"),
    ("upload.json", "", "an export has a format of its own, described in docs/import-format.md"),
    ("body", "The form ", "what a form must hold is not said by its media type"),
]

# Answers with a status of 500 or more that are no failure: the run configures no login and no live source.
NOT_CONFIGURED = "NOT_CONFIGURED"

# The key of this run must not be revoked by it.
OWN_KEY = os.environ.get("CONTRACT_KEY_ID")


@schemathesis.hook
def before_call(context, case, kwargs):
    if operation_of(case) == "revokeKey" and case.path_parameters.get("keyId") == OWN_KEY:
        case.path_parameters["keyId"] = "0" * 16


@schemathesis.check
def no_unexplained_refusal(ctx, response, case):
    """What follows the schema is refused with 400 only by one of the rules above."""
    if response.status_code != 400 or not is_positive(case):
        return
    details = response.json().get("details") or []
    unexplained = [detail for detail in details if not is_explained(detail)]
    if unexplained or not details:
        raise AssertionError(f"Refused, though it follows the schema: {response.text}")


@schemathesis.check
def no_locked_door(ctx, response, case):
    """With a key of the level admin, nothing but the current user is out of reach."""
    if OWN_KEY and response.status_code in (401, 403) and operation_of(case) != "getMe":
        raise AssertionError(f"Refused in spite of the key: {response.status_code} {response.text}")


@schemathesis.check
def no_failure_of_the_server(ctx, response, case):
    """Nothing that can be asked makes the service fail."""
    if response.status_code >= 500 and response.json().get("code") != NOT_CONFIGURED:
        raise AssertionError(f"The service failed: {response.status_code} {response.text}")


def operation_of(case):
    return case.operation.definition.raw.get("operationId")


def is_positive(case):
    return case.meta is not None and case.meta.generation.mode == schemathesis.GenerationMode.POSITIVE


def is_explained(detail):
    return any(detail["path"] == path and detail["message"].startswith(text) for path, text, _ in RULES)
