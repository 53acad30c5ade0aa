// A small real model behind OpenAI's chat completions: node small_model.mjs MODEL.gguf [PORT], run where node-llama-cpp
// is installed. Answers follow the schema that is asked for, by a grammar.
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.join(process.cwd(), "node_modules/node-llama-cpp");
const { getLlama, LlamaChatSession } = await import(pathToFileURL(path.join(folder, "dist/index.js")).href);

const [file, port = "0"] = process.argv.slice(2);
const llama = await getLlama({ gpu: false, build: "never" });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: 8192, threads: 2 });
let turn = Promise.resolve();
let seed = 0;

async function answer(asked) {
  const sequence = context.getSequence();
  try {
    const prompt = asked.messages[0].content;
    const schema = asked.response_format?.json_schema?.schema;
    const grammar = schema && (await llama.createGrammarForJsonSchema(schema));
    const session = new LlamaChatSession({ contextSequence: sequence });
    seed += 1;
    const text = await session.prompt(prompt, {
      grammar,
      maxTokens: asked.max_tokens ?? 1024,
      temperature: asked.temperature ?? 0,
      seed: asked.seed ?? seed,
      repeatPenalty: { penalty: 1.1 },
    });
    const usage = { prompt_tokens: model.tokenize(prompt).length, completion_tokens: model.tokenize(text).length };
    const finish = usage.completion_tokens >= (asked.max_tokens ?? 1024) - 1 ? "length" : "stop";
    return { choices: [{ index: 0, finish_reason: finish, message: { role: "assistant", content: text } }], usage };
  } finally {
    sequence.dispose();
  }
}

const server = http.createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    turn = turn.then(() => answer(JSON.parse(body))).then(
      (found) => [200, found],
      (error) => [500, { error: { message: String(error) } }],
    ).then(([status, found]) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(found));
    });
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
