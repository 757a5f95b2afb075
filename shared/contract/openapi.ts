import type Joi from 'joi';
import { ERROR_STATUS, errorBodySchema, type ErrorCode } from './errors.js';
import type { BodyRule, Operation } from './operation.js';
import { channelSchema, serverSchema, tagSchema } from './servers.js';
import {
  attachmentSchema,
  embedSchema,
  messageSchema,
  participantSchema,
  reactionSchema,
  stickerSchema,
  threadSummarySchema,
} from './threads.js';
import { leaderboardEntrySchema } from './users.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = Record<string, Json>;

/** The version of the API: also the API-Version header's. */
export const API_VERSION = '1';

const COMPONENTS: Record<string, Joi.Schema> = {
  ErrorBody: errorBodySchema,
  Server: serverSchema,
  Channel: channelSchema,
  Tag: tagSchema,
  ThreadSummary: threadSummarySchema,
  Message: messageSchema,
  Attachment: attachmentSchema,
  Reaction: reactionSchema,
  Embed: embedSchema,
  Sticker: stickerSchema,
  Participant: participantSchema,
  LeaderboardEntry: leaderboardEntrySchema,
};

const SECURITY_SCHEMES: JsonObject = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  serviceToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  platformToken: { type: 'http', scheme: 'bearer', description: 'OAuth2 access token of Discord' },
};

/** The security requirement of an operation, by its kind of access. `x-access` tells which level is needed. */
const SECURITY: Record<'public' | 'me' | 'level', Json> = {
  public: [],
  me: [{ serviceToken: [] }, { platformToken: [] }],
  level: [{ apiKey: [] }, { serviceToken: [] }],
};

/**
 * The errors that an operation may answer. Every one answers VALIDATION_ERROR for an invalid URL, and for two
 * credentials at once. Every one whose requests are counted answers RATE_LIMITED for too many. Every one with a file
 * answers RANGE_NOT_SATISFIABLE where a part is asked for that begins behind its end.
 */
function errorsOf({ errors, limitedAs, file }: Operation): ErrorCode[] {
  const counted: ErrorCode[] = limitedAs === 'nothing' ? [] : ['RATE_LIMITED'];
  const ranged: ErrorCode[] = file ? ['RANGE_NOT_SATISFIABLE'] : [];
  return [...new Set<ErrorCode>(['VALIDATION_ERROR', ...counted, ...errors, ...ranged])];
}

/** The OpenAPI 3.1 document of some operations. */
export function openApiDocument(operations: readonly Operation[]): JsonObject {
  const components = Object.fromEntries(
    Object.entries(COMPONENTS).map(([name, schema]) => [name, jsonSchema(schema)]),
  );
  const share = sharing(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Forum Archive',
      version: API_VERSION,
      description: 'A public, searchable archive of chat forums.',
    },
    paths: describePaths(operations, share),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries(
        Object.entries(components).map(([name, schema]) => [name, shareWithin(schema, share)]),
      ),
    },
  };
}

function describePaths(operations: readonly Operation[], share: (node: Json) => Json): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    for (const [alias, path] of operation.paths.entries()) {
      const methods = (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {});
      methods[operation.method] = describeOperation(operation, alias, share);
    }
  }
  return paths;
}

function describeOperation(operation: Operation, alias: number, share: (node: Json) => Json): Json {
  return {
    operationId: operation.operationId + (alias === 0 ? '' : `Alias${alias}`),
    summary: operation.summary,
    parameters: [...parameters(operation.params, 'path'), ...parameters(operation.query, 'query')],
    security:
      SECURITY[
        operation.access === 'public' || operation.access === 'me' ? operation.access : 'level'
      ],
    ...(operation.access !== 'public' && { 'x-access': operation.access }),
    ...(operation.body && { requestBody: describeBody(operation.body, share) }),
    responses: {
      ...(operation.file && { 200: describeFile(), 206: describePart() }),
      [String(operation.status ?? 200)]: {
        description: operation.summary,
        headers: describeHeaders(operation.headers ?? {}),
        content: { 'application/json': { schema: share(jsonSchema(operation.response)) } },
      },
      ...(mayBeHeld(operation) && { 304: describeNotModified() }),
      ...errorResponses(errorsOf(operation)),
    },
  };
}

/** Whether the client may have the answer already, and names its entity tag in If-None-Match. */
function mayBeHeld({ method, status = 200, file }: Operation): boolean {
  return method === 'get' && (status === 200 || file === true);
}

function describeNotModified(): Json {
  return {
    description: 'The client has this form of the body: If-None-Match names its ETag',
    headers: describeHeaders({}),
  };
}

const FILE_HEADERS = {
  'Content-Disposition': 'The name of the file, and whether it is to be saved',
  'Accept-Ranges': 'Always bytes',
};

/** A response with a file of any media type. Its bytes have no schema. */
function describeFile(): Json {
  return {
    description: 'The file',
    headers: describeHeaders(FILE_HEADERS),
    content: { '*/*': {} },
  };
}

function describePart(): Json {
  const headers = { ...FILE_HEADERS, 'Content-Range': 'Which bytes, and how many the file has' };
  return {
    description: 'The part of the file that the header Range asks for',
    headers: describeHeaders(headers),
    content: { '*/*': {} },
  };
}

function describeBody(rule: BodyRule<unknown>, share: (node: Json) => Json): Json {
  const schema = rule.schema ? share(jsonSchema(rule.schema, 'input')) : {};
  return {
    description: `At most ${rule.maxBytes} bytes`,
    required: !rule.optional,
    content: Object.fromEntries(rule.contentTypes.map((type) => [type, { schema }])),
  };
}

function parameters(schema: Joi.ObjectSchema, where: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input');
  return Object.entries(properties as Record<string, JsonObject>).map(([name, property]) => {
    const { description, ...rest } = property;
    const isRequired = (required as string[]).includes(name);
    return {
      name,
      in: where,
      required: isRequired,
      description: description ?? name,
      schema: rest,
    };
  });
}

/** Parts of JSON Schema that a schema gives in `meta({ jsonSchema })`, because joi cannot derive them. */
function addedTo(schema: Joi.Schema): JsonObject {
  // `describe()` tells the same, but describes and checks all that the schema holds.
  const metas = (schema.$_terms['metas'] ?? []) as { jsonSchema?: JsonObject }[];
  return Object.assign({}, ...metas.map(({ jsonSchema: added }) => added)) as JsonObject;
}

function describeHeaders(headers: Readonly<Record<string, string>>): Json {
  return headersOf({
    ETag: 'Entity tag of this form of the body',
    'X-Request-Id': 'Id in the log',
    ...headers,
  });
}

function headersOf(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
}

/** What the header Retry-After means with an error code. The other codes come without it. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: 'Seconds until the limit allows this again',
  UNAVAILABLE: 'Seconds to wait before asking again; not sent with NOT_CONFIGURED',
};

/** The responses of some error codes, one for each HTTP status. Codes with the same status share a response. */
function errorResponses(codes: readonly ErrorCode[]): JsonObject {
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))];
  return Object.fromEntries(
    statuses.map((status) => {
      const same = codes.filter((code) => ERROR_STATUS[code] === status);
      const retryAfter = same.map((code) => RETRY_AFTER[code]).find(Boolean);
      return [
        String(status),
        {
          description: same.join(', '),
          ...(retryAfter && { headers: headersOf({ 'Retry-After': retryAfter }) }),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
        },
      ];
    }),
  );
}

/** A joi schema as JSON Schema: of an answer (`output`), or of what a caller may send (`input`). */
function jsonSchema(schema: Joi.Schema, side: 'input' | 'output' = 'output'): JsonObject {
  const standard = schema['~standard'].jsonSchema;
  const told = standard[side]({ target: 'draft-2020-12' }) as JsonObject;
  return tidy(withAdded(schema as Joi.ObjectSchema, told), side) as JsonObject;
}

function withAdded(schema: Joi.ObjectSchema, told: JsonObject): JsonObject {
  const { properties } = told;
  if (!properties) return told;
  const added = Object.entries(properties).map(([name, property]) => [
    name,
    { ...(property as JsonObject), ...addedTo(schema.extract(name)) },
  ]);
  return { ...told, properties: Object.fromEntries(added) as JsonObject };
}

/**
 * Adds null to an enum whose type admits null. Schemas of answers admit unknown properties, because later versions may
 * add some. Schemas of requests stay as they are.
 */
function tidy(node: Json, side: 'input' | 'output'): Json {
  if (Array.isArray(node)) return node.map((part) => tidy(part, side));
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).filter(
    ([key]) => side === 'input' || key !== 'additionalProperties',
  );
  const tidied = Object.fromEntries(entries.map(([key, value]) => [key, tidy(value, side)]));
  const nullable = Array.isArray(tidied['type']) && tidied['type'].includes('null');
  if (nullable && Array.isArray(tidied['enum'])) tidied['enum'] = [...tidied['enum'], null];
  return tidied;
}

/** Replaces each part that equals a component by a reference to it. */
function sharing(components: Record<string, JsonObject>): (node: Json) => Json {
  const names = new Map(
    Object.entries(components).map(([name, schema]) => [JSON.stringify(schema), name]),
  );
  const share = (node: Json): Json => {
    const name = names.get(JSON.stringify(node));
    return name ? { $ref: `#/components/schemas/${name}` } : shareWithin(node, share);
  };
  return share;
}

function shareWithin(node: Json, share: (node: Json) => Json): Json {
  if (Array.isArray(node)) return node.map(share);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, share(value)]));
}
