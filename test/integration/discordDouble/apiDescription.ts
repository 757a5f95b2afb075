import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { RouteName } from '../../support/discord/rest/routeNames.js';

/** A part of a description. Its content is checked where it is used. */
type Json = Record<string, unknown>;

/** The platform's own description of its API, which lies beside the project, never in it. */
export interface Description extends Json {
  paths: Record<string, { get?: Json; parameters?: Json[] }>;
  components: { schemas: Record<string, Json>; responses: Record<string, Json> };
}

/** A part of the description that the double does not follow, and why. */
export interface Deviation {
  where: string;
  reason: string;
  /** Answers that would be refused without this deviation. */
  met: { route: RouteName; status: number };
  apply: (description: Description) => void;
}

export const DEVIATIONS: Deviation[] = [
  {
    where: 'GuildChannelResponse.type',
    reason: 'Media channels (16) are documented and sent, but not described',
    met: { route: 'guildChannels', status: 200 },
    apply({ components: { schemas } }) {
      const { type } = schemas.GuildChannelResponse!.properties as { type: { enum: number[] } };
      type.enum.push(16);
      (schemas.ChannelTypes!.oneOf as Json[]).push({ const: 16 });
    },
  },
  {
    where: 'ThreadsResponse.has_more',
    reason: 'The list of active threads has no pages, and is sent without it',
    met: { route: 'activeThreads', status: 200 },
    apply({ components: { schemas } }) {
      schemas.ThreadsResponse!.required = ['threads', 'members'];
    },
  },
  {
    where: 'RatelimitedResponse.code',
    reason: 'The documentation calls the code of a 429 optional, and bots get none',
    met: { route: 'me', status: 429 },
    apply({ components: { schemas } }) {
      const [, own] = schemas.RatelimitedResponse!.allOf as [Json, Json];
      schemas.RatelimitedResponse!.allOf = [
        { type: 'object', properties: { message: { type: 'string' }, code: { type: 'integer' } } },
        { ...own, required: ['message', 'retry_after', 'global'] },
      ];
    },
  },
  {
    where: 'MessageReferenceType',
    reason: 'Forwards (1) are documented and sent, but not described',
    met: { route: 'messages', status: 200 },
    apply({ components: { schemas } }) {
      (schemas.MessageReferenceType!.oneOf as Json[]).push({ const: 1 });
    },
  },
  {
    where: 'InnerErrors',
    reason: "The documentation shows texts as the codes of a form's errors, not numbers",
    met: { route: 'guilds', status: 400 },
    apply({ components: { schemas } }) {
      const text = { type: 'string' };
      const error = { type: 'object', properties: { code: text, message: text } };
      schemas.InnerErrors!.properties = { _errors: { type: 'array', items: error } };
    },
  },
];

const FILE = 'discord-openapi.json';
const SCHEMAS = '#/components/schemas/';

/** The description in the folder DISCORD_OPENAPI_DIR, or beside the project; null where there is none. */
export function readDescription(): Description | null {
  const path = join(process.env.DISCORD_OPENAPI_DIR ?? '../shared', FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Description) : null;
}

/** Compares requests and answers with a description. */
export interface Judge {
  /** Problems of a request's path and query, which may be none. */
  judgeRequest(method: string, path: string): string[];
  /** Problems of an answer. */
  judgeAnswer(path: string, status: number, body: unknown): string[];
}

/** Makes a judge from a description. No object may have a property that is not described. */
export function createJudge(description: Description, deviations: readonly Deviation[]): Judge {
  const own = structuredClone(description);
  for (const { apply } of deviations) apply(own);
  closeObjects(own);
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
  ajv.addSchema({ $id: 'api', ...own });
  const compiled = new Map<string, ValidateFunction>();
  const problemsOf = (schema: Json, value: unknown): string[] => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(absolute(key)) as Json);
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  };
  const operations = Object.entries(own.paths).map(([template, { get, parameters = [] }]) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`),
    parameters: [...parameters, ...((get?.parameters ?? []) as Json[])] as unknown as Parameter[],
    responses: (get?.responses ?? {}) as Record<string, Json>,
  }));
  // Paths without parameters come first: /messages/pins is no /messages/{id}.
  operations.sort(
    (left, right) => left.template.split('{').length - right.template.split('{').length,
  );
  const find = (path: string): (typeof operations)[0] | undefined =>
    operations.find(({ pattern }) => pattern.test(path.split('?')[0]!));
  return {
    judgeRequest(method, path) {
      const operation = find(path);
      if (!operation || method !== 'GET') return [`${method} ${path} is not described`];
      const ids = operation.pattern.exec(path.split('?')[0]!)!.slice(1);
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      const query = [...new URLSearchParams(path.split('?')[1] ?? '')];
      return [
        ...inPath.flatMap(({ schema }, index) => problemsOf(schema, ids[index])),
        ...query.flatMap(([name, text]) => {
          const known = operation.parameters.find((one) => one.in === 'query' && one.name === name);
          if (!known) return [`The parameter ${name} is not described`];
          return problemsOf(known.schema, valueOf(known.schema, text));
        }),
      ];
    },

    judgeAnswer(path, status, body) {
      const responses = find(path)?.responses ?? {};
      const response = responses[String(status)] ?? responses[status >= 400 ? '4XX' : ''];
      if (!response) return [`${status} is not described`];
      return problemsOf(schemaOf(own, response), body);
    },
  };
}

interface Parameter {
  name: string;
  in: string;
  schema: Json;
}

const SAFE = Number.MAX_SAFE_INTEGER;
const FORMATS = {
  snowflake: /^(0|[1-9]\d{16,19})$/,
  nonce: true,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/,
  uri: { type: 'string', validate: (text: string) => URL.canParse(text) },
  int32: { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 31 },
  int64: { type: 'number', validate: (value: number) => Math.abs(value) <= SAFE },
  double: { type: 'number', validate: (value: number) => Number.isFinite(value) },
} as const;

/** Closes every object schema that is not part of an allOf, so that invented properties are found. */
function closeObjects(description: Description): void {
  const parts = new Set<string>();
  visit(description.components.schemas, (schema) => {
    for (const part of (schema.allOf ?? []) as Json[]) {
      if (typeof part.$ref === 'string') parts.add(part.$ref);
    }
  });
  for (const [name, schema] of Object.entries(description.components.schemas)) {
    if (!parts.has(`${SCHEMAS}${name}`)) close(schema);
  }
}

function close(schema: Json): void {
  if (schema.properties || (schema.type === 'object' && schema.allOf)) {
    schema.unevaluatedProperties = false;
  }
  for (const [key, value] of Object.entries(schema)) {
    if (key !== 'allOf') visitOne(value, close);
  }
}

function visit(value: unknown, action: (schema: Json) => void): void {
  visitOne(value, (schema) => {
    action(schema);
    for (const child of Object.values(schema)) visit(child, action);
  });
}

/** Calls an action with an object, or with each object in an array. */
function visitOne(value: unknown, action: (schema: Json) => void): void {
  if (Array.isArray(value)) value.forEach((child) => visitOne(child, action));
  else if (typeof value === 'object' && value !== null) action(value as Json);
}

/** The schema of a response. The response may be a shared one. */
function schemaOf({ components: { responses } }: Description, response: Json): Json {
  const shared =
    typeof response.$ref === 'string' ? responses[response.$ref.split('/').at(-1)!] : null;
  const { content } = (shared ?? response) as { content: Record<string, { schema: Json }> };
  return content['application/json']!.schema;
}

function absolute(schema: string): string {
  return schema.replaceAll('"#/', '"api#/');
}

/** The text of a parameter, converted to the type that its schema names. */
function valueOf({ type }: Json, text: string): unknown {
  if (type === 'integer') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}
