import { expect } from 'chai';
import { createServiceLinks } from '../../../../services/indexer/views/serviceLinks.js';
import {
  threadStatus,
  parseResolvedTags,
  tagNames,
  type ThreadModel,
} from '../../../../services/indexer/views/threadModel.js';
import {
  detailClosing,
  detailOpening,
  threadHead,
  threadItem,
  threadSummary,
} from '../../../../services/indexer/views/threadViews.js';
import { aChannel, aMessage, aThread } from '../../../support/factories.js';

const resolvedTags = parseResolvedTags('solved, Resolved,answered');

function aModel(more: Partial<ThreadModel> = {}): ThreadModel {
  const thread = more.thread ?? aThread();
  const first = aMessage({ _id: thread._id, threadId: thread._id });
  return {
    thread,
    channel: aChannel({ _id: thread.channelId, serverId: thread.serverId }),
    first,
    starting: first,
    resolvedTags,
    links: createServiceLinks({ publicUrl: 'https://archive.example', cdnUrl: null }),
    version: 7,
    ...more,
  };
}

describe('threadStatus', () => {
  const cases: [string, Parameters<typeof aThread>[0], string[], string][] = [
    ['open when nothing is said', {}, [], 'open'],
    ['locked before all else', { locked: true, archived: true }, ['Solved'], 'locked'],
    ['resolved by a tag, ignoring case', { archived: true }, ['SOLVED'], 'resolved'],
    ['archived when archived now', { archived: true }, ['Bug'], 'archived'],
    ['open again when no longer archived', { archived: false, archivedAt: new Date() }, [], 'open'],
  ];
  for (const [name, fields, tags, expected] of cases) {
    it(`is ${name}`, () => {
      expect(threadStatus(aThread(fields), tags, resolvedTags)).to.equal(expected);
    });
  }
});

describe('tagNames', () => {
  it('keeps the order applied and leaves out tags that are gone', () => {
    const availableTags = [
      { id: '1', name: 'Bug', emoji: null, moderated: false },
      { id: '2', name: 'API', emoji: null, moderated: false },
    ];
    expect(
      tagNames(aThread({ appliedTags: ['2', '9', '1'] }), aChannel({ availableTags })),
    ).to.deep.equal(['API', 'Bug']);
  });
});

describe('the detail body', () => {
  it('is valid JSON with the messages between its two parts', () => {
    const model = aModel({ thread: aThread({ title: '"},"messages":[{"x' }) });
    const head = threadHead(model);
    const summary = threadSummary(head, '', {
      messages: 1,
      lastAt: model.first.createdAt,
    });
    const body = JSON.parse(`${detailOpening(head)}{"id":"m"}${detailClosing(summary)}`) as Record<
      string,
      unknown
    >;
    expect(body).to.include({ title: '"},"messages":[{"x', messageCount: 1 });
    expect(body['messages']).to.deep.equal([{ id: 'm' }]);
  });
});

describe('threadItem', () => {
  it('sorts by fixed-width keys and is unanswered with one message only', () => {
    const model = aModel();
    const head = threadHead(model);
    const facts = { status: head.status, messages: 1, botMessages: 0, reactions: [] };
    const one = threadItem(
      threadSummary(head, '', { messages: 1, lastAt: model.first.createdAt }),
      facts,
      { linksTo: [], unshown: [] },
      7,
    );
    const ten = threadItem(
      threadSummary(head, '', { messages: 10, lastAt: model.first.createdAt }),
      facts,
      { linksTo: [], unshown: [] },
      7,
    );
    expect(one.unansweredKey).to.equal(one.latestKey);
    expect(ten).to.not.have.property('unansweredKey');
    expect(one.popularKey < ten.popularKey).to.equal(true);
    expect(one.scopes).to.include.members([
      '*/all/',
      '*/open/',
      `s${head.serverId}/all/`,
      `c${head.channelId}/open/`,
    ]);
  });
});
