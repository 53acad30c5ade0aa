// An organisation in TypeScript: a task, a run of it, what the agent's systems recorded, and the result.
import createClient from "openapi-fetch";
import type { components, paths } from "./assay";

declare const process: { argv: string[]; exitCode: number };

const [, , baseUrl, key] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

type Verdict = components["schemas"]["GradedTask"]["verdict"];

async function main(): Promise<void> {
  const task = await client.POST("/v1/tasks", {
    body: {
      name: "book a visit",
      criteria: [
        {
          label: "the visit is booked",
          assertion: {
            assert: "portal-state-match",
            correlate_by: { resource: "appointments", key: "a1" },
            assertions: [{ path: "status", expected: "booked" }],
          },
        },
      ],
    },
  });
  if (task.data === undefined) {
    throw new Error(task.error.error.message);
  }
  const run = await client.POST("/v1/task-runs", { body: { task_id: task.data.id } });
  if (run.data === undefined) {
    throw new Error(run.error.error.message);
  }
  await client.POST("/v1/playgrounds/{id}/rows", {
    params: { path: { id: run.data.playground_id } },
    body: { resource: "appointments", key: "a1", data: { status: "booked" } },
  });
  const path = { id: run.data.id };
  await client.POST("/v1/task-runs/{id}/start", { params: { path } });
  const done = await client.POST("/v1/task-runs/{id}/complete", { params: { path } });
  if (done.data === undefined || !("verdict" in done.data)) {
    throw new Error("there is no result");
  }
  const verdict: Verdict = (done.data as components["schemas"]["GradedTask"]).verdict;
  console.log(verdict);

  // What the service would refuse doesn't compile.
  // @ts-expect-error a task has a name
  const wrong: components["schemas"]["NewTask"] = { criteria: [] };
  // @ts-expect-error there is no such verdict
  const verdicts: Verdict[] = ["pass", "perhaps"];
  void wrong;
  void verdicts;

  const unknown = await client.GET("/v1/task-runs/{id}", { params: { path: { id: "trun_0" } } });
  console.log(unknown.response.status, unknown.error?.error.code);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
