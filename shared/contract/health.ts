/** Answers about the service itself. */
import Joi from 'joi';
import { oneOf, text } from './fields.js';

/** GET /. */
export interface ApiIndex {
  name: string;
  version: string;
  links: { name: string; href: string }[];
}

/** Checks an ApiIndex. */
export const apiIndexSchema = Joi.object<ApiIndex, true>({
  name: text('Name of the service'),
  version: text('Version of the API'),
  links: Joi.array()
    .items(Joi.object({ name: text('What is there'), href: text('Path or path template') }))
    .required()
    .description('Where to go on'),
});

/** GET /healthz. */
export interface Health {
  status: 'ok';
}

/** Checks a Health. */
export const healthSchema = Joi.object<Health, true>({ status: oneOf(['ok'], 'Always ok') });

export type StoreState = 'up' | 'down';

/** GET /readyz: with status 503, `error` and `code` beside it, when a store is away. */
export interface Readiness {
  stores: { mongodb: StoreState; elasticsearch: StoreState; redis: StoreState };
}

const store = (name: string) => oneOf(['up', 'down'] as const, `Whether ${name} answers`);

/** Checks a Readiness. */
export const readinessSchema = Joi.object<Readiness, true>({
  stores: Joi.object<Readiness['stores'], true>({
    mongodb: store('MongoDB'),
    elasticsearch: store('Elasticsearch'),
    redis: store('Redis'),
  })
    .required()
    .description('State of each store'),
});
