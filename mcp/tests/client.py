"""Calls every tool with the official Python client, over standard input and output and over HTTP."""

import asyncio
import base64
import json
import os
import re

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

KEY = os.environ["SCAN_API_KEY"]
SPACE = os.environ["SCAN_SPACE"]
#: 2,000 tokens at four characters a token.
MAX_CHARS = 8000


async def call(client, tool, **arguments):
    """Calls a tool. Returns the result, and the items between its markers."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    print(f">>> {tool} {json.dumps(arguments)}\n{text[:700]}\n")
    assert len(text) <= MAX_CHARS, len(text)
    block = re.search(r"^BEGIN SCAN DATA (\w+)\n(.*)^END SCAN DATA \1$", text, re.M | re.S)
    return result, [json.loads(line) for line in block[2].splitlines()] if block else []


READING = {
    "list_spaces", "search_spaces", "read_space", "show_frame", "ask_space", "compare_scans", "follow_scan"
}


async def use_every_tool(client, local):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == (READING | {"scan_files"} if local else READING)
    for name, tool in tools.items():
        assert tool.annotations.read_only_hint == (name in READING)

    _, spaces = await call(client, "list_spaces")
    assert SPACE in [space["space_id"] for space in spaces]
    _, summary = await call(client, "read_space", space_id=SPACE)
    counts = summary[0]["items_of_each_part"]
    assert counts["zones"] > 0 and counts["texts"] > 0
    for part in ("zones", "texts", "objects", "narration", "facts", "measurements"):
        _, items = await call(client, "read_space", space_id=SPACE, part=part)
        assert bool(items) == bool(counts[part]), part
        if part == "texts":
            sign = items[0]
    _, found = await call(client, "search_spaces", query=sign["raw"])
    assert SPACE in [space["space_id"] for space in found]

    # The sign that was read can be asked for, and seen.
    _, answer = await call(client, "ask_space", space_id=SPACE, question=f'Is there a sign "{sign["raw"]}"?')
    assert answer[0]["status"] in ("answered", "partial", "abstained")
    cited = [item for item in answer if "citation" in item or "closest_but_no_answer" in item]
    assert cited, answer
    result, _ = await call(client, "show_frame", space_id=SPACE, frame_id=sign["frame_id"])
    picture = next(block for block in result.content if block.type == "image")
    assert picture.mime_type == "image/jpeg" and base64.b64decode(picture.data).startswith(b"\xff\xd8\xff")

    result, changes = await call(client, "compare_scans", space_id=SPACE)
    assert not result.is_error and "changes from scn_" in result.content[0].text

    resources = (await client.list_resources()).resources
    assert [str(resource.uri) for resource in resources] == [f"scan://spaces/{SPACE}"]
    text = (await client.read_resource(resources[0].uri)).contents[0].text
    assert "BEGIN SCAN DATA" in text and len(text) <= MAX_CHARS
    whole = (await client.read_resource(f"scan://spaces/{SPACE}/document")).contents[0].text
    assert len(json.loads(whole)["document"]["texts"]) == counts["texts"]

    for bad in ("spc_00000000000000000000000000", "../me", ""):
        result, _ = await call(client, "read_space", space_id=bad)
        assert result.is_error, bad


async def scan_a_file(client):
    """Scans a file of this machine and follows the scan. The scan is of a space of its own."""
    result, _ = await call(client, "scan_files", paths=["/no/such/file.mp4"])
    assert result.is_error
    result, _ = await call(client, "scan_files", paths=[os.environ["SCAN_VIDEO"]], space_id=SPACE)
    assert not result.is_error, result
    scan = re.search(r"scn_\w+", result.content[0].text)[0]
    async with asyncio.timeout(240):
        while True:
            _, items = await call(client, "follow_scan", scan_id=scan)
            if items[0]["status"] in ("complete", "failed"):
                break
            await asyncio.sleep(1)
    assert items[0]["status"] == "complete", items


async def main():
    environment = {name: os.environ[name] for name in ("SCAN_API_URL", "SCAN_API_KEY", "HOME")}
    program = StdioServerParameters(command=os.environ["SCAN_PROGRAM"], args=["mcp"], env=environment)
    async with Client(program) as client:
        await use_every_tool(client, local=True)
        await scan_a_file(client)
    url = os.environ["SCAN_MCP_URL"]
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {KEY}"}) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            await use_every_tool(client, local=False)
    # Without a key, the API refuses before the protocol begins.
    try:
        async with Client(url) as client:
            await client.list_tools()
    except Exception as error:
        print(f">>> without a key: {error!r}")
    else:
        raise AssertionError("served without a key")


asyncio.run(main())
