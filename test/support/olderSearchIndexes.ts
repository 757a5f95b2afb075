import type { Client, estypes } from '@elastic/elasticsearch';
import {
  searchAlias,
  searchIndexName,
  type MessageDocument,
  type SearchDocument,
  type ThreadDocument,
} from '../../shared/store/searchIndex.js';
import { searchIndexDefinition } from '../../shared/store/searchMapping.js';

// Mapping 1, used until 2026-11: one analyser for each form of words, and a conversation in one piece.

const FOLDED = [
  'cjk_width',
  'cjk_bigram',
  'lower',
  'decimal_digit',
  'arabic_normalization',
  'asciifolding',
];

function analyzer(...filter: string[]): estypes.AnalysisAnalyzer {
  const char_filter = ['clean', 'plus_plus', 'sharp', 'leading_dot', 'flag', 'breaks'];
  return {
    type: 'custom',
    tokenizer: 'standard',
    char_filter,
    filter: [...FOLDED, ...filter],
  };
}

const { analysis, ...others } = searchIndexDefinition.settings;

const settings: estypes.IndicesIndexSettings = {
  ...others,
  analysis: {
    ...analysis,
    filter: {
      ...analysis.filter,
      possessive: { type: 'stemmer', language: 'possessive_english' },
    },
    analyzer: {
      exact_index: analyzer('parts', 'once'),
      exact_search: analyzer(),
      stem_index: analyzer('parts', 'possessive', 'stem', 'once'),
      stem_search: analyzer('possessive', 'stem'),
    },
  },
};

function text(more: Record<string, estypes.MappingProperty> = {}): estypes.MappingTextProperty {
  const shape = { type: 'text', index_options: 'offsets', position_increment_gap: 1000 } as const;
  return {
    ...shape,
    analyzer: 'exact_index',
    search_analyzer: 'exact_search',
    fields: {
      stem: { ...shape, analyzer: 'stem_index', search_analyzer: 'stem_search' },
      ...more,
    },
  };
}

/** The fields of today's documents that mapping 1 had. Later fields must not be added here. */
const FIRST_FIELDS = [
  'kind',
  'idKey',
  'threadId',
  'messageId',
  'serverId',
  'channelId',
  'channelName',
  'title',
  'slug',
  'preview',
  'status',
  'tags',
  'tagKeys',
  'authorId',
  'authorUsername',
  'authorDisplayName',
  'createdAt',
  'hasAttachment',
  'messageCount',
  'content',
];
/** The fields that mapping 2 had, and mapping 3 at first. */
const SECOND_FIELDS = [...FIRST_FIELDS, 'heading', 'stretches', 'conversationHash'];

/** Some properties of today's mapping. */
function propertiesOf(names: readonly string[]): Record<string, estypes.MappingProperty> {
  const { properties } = searchIndexDefinition.mappings;
  return Object.fromEntries(names.map((name) => [name, properties[name]!]));
}

const mappings: estypes.MappingTypeMapping = {
  dynamic: 'strict',
  _meta: { mappingVersion: 1 },
  _source: { excludes: ['conversation'] },
  properties: {
    ...propertiesOf(FIRST_FIELDS),
    title: text({ whole: { type: 'keyword', normalizer: 'whole', ignore_above: 512 } }),
    tags: text(),
    conversation: { ...text(), store: true },
    content: text(),
  },
};

const FIRST = { settings, mappings };

/** Mapping 2, which split every word where letters and digits meet. */
const SECOND = {
  settings: {
    ...others,
    analysis: {
      ...analysis,
      filter: { ...analysis.filter, long: { type: 'keyword_marker', keywords: [] } },
    },
  },
  mappings: {
    ...searchIndexDefinition.mappings,
    _meta: { mappingVersion: 2 },
    properties: propertiesOf(SECOND_FIELDS),
  },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** Mapping 3 before it kept `markdown`. */
const THIRD = {
  settings: searchIndexDefinition.settings,
  mappings: {
    ...searchIndexDefinition.mappings,
    _meta: { mappingVersion: 3 },
    properties: propertiesOf(SECOND_FIELDS),
  },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** The definitions of older indexes, by the version of their mapping. */
export const OLDER = { 1: FIRST, 2: SECOND, 3: THIRD } as const;

/** Replaces an archive's first index by an empty one with an older mapping, and resolves with its name. */
export async function createOlderIndex(
  client: Client,
  namespace: string,
  version: keyof typeof OLDER,
): Promise<string> {
  const index = searchIndexName(namespace, 1);
  await client.indices.delete({ index });
  const aliases = { [searchAlias(namespace)]: { is_write_index: true } };
  await client.indices.create({ index, ...OLDER[version], aliases });
  return index;
}

/** A document in the form in which it was written into an index of mapping 1. */
export function asFirst(document: ThreadDocument | MessageDocument): SearchDocument {
  if (document.kind === 'message') return document;
  const { heading: _, stretches: near, conversationHash: __, ...rest } = document;
  const conversation = near.flatMap(({ text: said }) => said);
  return { ...rest, conversation } as unknown as SearchDocument;
}
