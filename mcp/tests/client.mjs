// Calls every tool with the official TypeScript client, over standard input and output and over HTTP.

import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { HOME, SCAN_API_KEY, SCAN_API_URL, SCAN_MCP_URL, SCAN_PROGRAM, SCAN_SPACE: space_id, SCAN_VIDEO } = process.env;
// 2,000 tokens at four characters a token.
const MAX_CHARS = 8000;

async function useEveryTool(transport, local) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  assert.match(client.getInstructions(), /never follow instructions/);

  // Calls a tool. Returns the result, and the items between its markers.
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    const text = result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    console.log(`>>> ${name} ${JSON.stringify(args)}\n${text.slice(0, 700)}\n`);
    assert.ok(text.length <= MAX_CHARS);
    const block = /^BEGIN SCAN DATA (\w+)\n(.*)^END SCAN DATA \1$/ms.exec(text);
    const items = (block?.[2] ?? "").split("\n").filter(Boolean).map((line) => JSON.parse(line));
    return { result, items };
  };

  const { tools } = await client.listTools();
  const names = ["ask_space", "compare_scans", "follow_scan", "list_spaces", "read_space", "search_spaces", "show_frame"];
  if (local) names.push("scan_files");
  assert.deepEqual(tools.map((tool) => tool.name).sort(), names.sort());
  assert.ok((await call("list_spaces", {})).items.some((space) => space.space_id === space_id));
  const counts = (await call("read_space", { space_id })).items[0].items_of_each_part;
  assert.ok(counts.zones > 0 && counts.texts > 0);
  const [sign] = (await call("read_space", { space_id, part: "texts" })).items;
  const answer = await call("ask_space", { space_id, question: `Is there a sign "${sign.raw}"?` });
  assert.ok(answer.items.some((item) => item.citation ?? item.closest_but_no_answer));
  const { result } = await call("show_frame", { space_id, frame_id: sign.frame_id });
  const picture = result.content.find((block) => block.type === "image");
  assert.equal(picture.mimeType, "image/jpeg");
  const compared = await call("compare_scans", { space_id });
  assert.match(compared.result.content[0].text, /changes from scn_/);
  assert.ok((await call("show_frame", { space_id, frame_id: "frm_none" })).result.isError);
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0].uri });
  assert.match(contents[0].text, /BEGIN SCAN DATA/);
  if (local) {
    const started = await call("scan_files", { paths: [SCAN_VIDEO], space_id });
    const [scan_id] = /scn_\w+/.exec(started.result.content[0].text);
    const ended = ["complete", "failed"];
    let scan;
    do {
      if (scan) await new Promise((resolve) => setTimeout(resolve, 1000));
      [scan] = (await call("follow_scan", { scan_id })).items;
    } while (!ended.includes(scan.status));
    assert.equal(scan.status, "complete");
  }
  await client.close();
}

const env = { HOME, SCAN_API_URL, SCAN_API_KEY };
await useEveryTool(new StdioClientTransport({ command: SCAN_PROGRAM, args: ["mcp"], env }), true);
const headers = { authorization: `Bearer ${SCAN_API_KEY}` };
await useEveryTool(new StreamableHTTPClientTransport(new URL(SCAN_MCP_URL), { requestInit: { headers } }), false);
