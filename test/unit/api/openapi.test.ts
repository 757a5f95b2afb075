import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type Joi from 'joi';
import { openApiDocument } from '../../../shared/contract/openapi.js';
import { operations } from '../../../shared/contract/operations.js';

const document = openApiDocument(Object.values(operations));
interface DocumentedSchema {
  type?: string;
  pattern?: string;
  maxLength?: number;
  properties?: Record<string, DocumentedSchema>;
}

interface Documented {
  parameters?: { name: string; in: string; schema: DocumentedSchema }[];
  requestBody?: { content: Record<string, { schema: DocumentedSchema }> };
}

type DocumentedResponses = Record<string, { description: string; headers?: object }>;

const text = JSON.stringify(document);

describe('OpenAPI document', () => {
  it('is the one in docs/openapi.json (npm run openapi writes it)', () => {
    const committed: unknown = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    expect(committed).to.deep.equal(document);
  });

  it('names each operation by its key, once', () => {
    const ids = [...text.matchAll(/"operationId":"(\w+)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const [key, { operationId }] of Object.entries(operations)) {
      expect(operationId).to.equal(key);
      expect(ids).to.include(key);
    }
  });

  it('says of every operation that it may refuse an invalid request', () => {
    for (const { path, responses } of documented()) expect(responses, path).to.include.keys('400');
  });

  it('says of every operation but those that are not counted that it may refuse one too many', () => {
    const uncounted = documented().filter(({ responses }) => !('429' in responses));
    expect(uncounted.map(({ path }) => path)).to.deep.equal(['get /healthz', 'get /readyz']);
  });

  it('says of every refusal for now when to ask again', () => {
    for (const { path, responses } of documented()) {
      for (const [status, { description, headers }] of Object.entries(responses)) {
        const isForNow = /RATE_LIMITED|UNAVAILABLE/.test(description);
        expect('Retry-After' in (headers ?? {}), `${path} ${status}`).to.equal(isForNow);
      }
    }
  });

  it('says of every read of a body that the client may have it already', () => {
    for (const { path, responses } of documented()) {
      const isRead = path.startsWith('get ') && '200' in responses;
      expect('304' in responses, path).to.equal(isRead);
    }
  });

  it('does not say that an erasure may find nobody: an unknown person can be erased, too', () => {
    const erasure = documented().find(({ path }) => path === 'delete /admin/users/{userId}');
    expect(erasure?.responses).to.not.have.any.keys('404');
  });

  it('says of every text parameter that refuses blank text that it does so', () => {
    const refusing: string[] = [];
    for (const { operationId, paths, method, query } of Object.values(operations)) {
      for (const { name, in: where, schema } of described(paths[0], method).parameters ?? []) {
        if (where !== 'query' || schema.type !== 'string') continue;
        if ('enum' in schema || 'anyOf' in schema) continue;
        const isRefused = query.extract(name).validate(' ').error !== undefined;
        if (isRefused) refusing.push(`${operationId} ${name}`);
        expect(schema.pattern === '\\S', `${operationId} ${name}`).to.equal(isRefused);
      }
    }
    expect(refusing).to.include.members(['listThreads tag', 'searchArchive tag']);
  });

  it('refuses a text for its length only beyond the characters that it says, emoji included', () => {
    const bounded: string[] = [];
    for (const { operationId, paths, method, query, body } of Object.values(operations)) {
      const { parameters = [], requestBody } = described(paths[0], method);
      const members = requestBody?.content['application/json']?.schema.properties ?? {};
      const texts = [
        ...parameters.map(({ name, schema }) => ({ name, schema, checked: query })),
        ...Object.entries(members).map(([name, schema]) => ({
          name,
          schema,
          checked: body?.schema,
        })),
      ];
      for (const { name, schema, checked } of texts) {
        if (schema.maxLength === undefined) continue;
        const isTooLong = (length: number): boolean =>
          (checked as Joi.ObjectSchema)
            .extract(name)
            .validate('😀'.repeat(length), { abortEarly: false })
            .error?.details.some(({ type }) => type === 'string.max') ?? false;
        bounded.push(`${operationId} ${name}`);
        expect(isTooLong(schema.maxLength), bounded.at(-1)).to.equal(false);
        expect(isTooLong(schema.maxLength + 1), bounded.at(-1)).to.equal(true);
      }
    }
    expect(bounded).to.include.members(['searchArchive q', 'suggestTitles q', 'createKey name']);
  });

  it('says that a request body may have no other members', () => {
    const paths = document['paths'] as Record<string, Record<string, Documented>>;
    const bodies = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ requestBody }) => requestBody?.content['application/json']?.schema)
      .filter((schema) => schema?.type === 'object');
    expect(bodies.length).to.be.above(4);
    for (const schema of bodies) expect(schema).to.include({ additionalProperties: false });
    for (const { body } of Object.values(operations)) {
      if (!body?.schema) continue;
      const { error } = body.schema.validate({ unheardOf: 1 }, { abortEarly: false });
      expect(error?.message).to.contain('"unheardOf" is not allowed');
    }
  });

  it('describes every parameter and every property', () => {
    const properties = [...propertiesWithin(document)];
    expect(properties.length).to.be.above(300);
    for (const [name, schema] of properties) {
      expect(schema, name).to.have.any.keys('description', '$ref');
    }
    for (const { params, query } of Object.values(operations)) {
      for (const schema of [params, query]) {
        const { keys = {} } = schema.describe() as {
          keys?: Record<string, { flags?: { description?: string } }>;
        };
        for (const [key, { flags }] of Object.entries(keys)) {
          expect(flags?.description, key).to.be.a('string');
        }
      }
    }
  });

  it('refers only to components that exist, and admits null where it says so', () => {
    const names = Object.keys((document['components'] as { schemas: object }).schemas);
    const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).to.be.above(20);
    for (const [, name] of references) expect(names).to.include(name);
    for (const [, type = '', words = ''] of text.matchAll(
      /"type":(\[[^\]]*\])[^{}]*"enum":(\[[^\]]*\])/g,
    )) {
      if (type.includes('"null"')) expect(words).to.include('null');
    }
  });
});

/** The operation of the document with a path such as `/users/:userId`. */
function described(path: string | undefined, method: string): Documented {
  const paths = document['paths'] as Record<string, Record<string, Documented>>;
  return paths[String(path).replace(/:(\w+)/g, '{$1}')]![method]!;
}

/** Every operation of the document: its method and path, and its responses by status. */
function documented(): { path: string; responses: DocumentedResponses }[] {
  const paths = document['paths'] as Record<
    string,
    Record<string, { responses: DocumentedResponses }>
  >;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      path: `${method} ${path}`,
      responses,
    })),
  );
}

/** The name and schema of each property of every object that a part of the document describes. */
function* propertiesWithin(part: unknown): Generator<[string, object]> {
  if (typeof part !== 'object' || part === null) return;
  const { type, properties } = part as { type?: unknown; properties?: Record<string, object> };
  if (type === 'object' && properties) yield* Object.entries(properties);
  for (const inner of Object.values(part)) yield* propertiesWithin(inner);
}
