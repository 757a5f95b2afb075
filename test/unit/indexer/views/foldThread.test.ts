import { expect } from 'chai';
import type { Message } from '../../../../shared/contract/threads.js';
import { foldThread } from '../../../../services/indexer/views/foldThread.js';
import { createServiceLinks } from '../../../../services/indexer/views/serviceLinks.js';
import { parseResolvedTags } from '../../../../services/indexer/views/threadModel.js';
import {
  aChannel,
  aMessage,
  anAuthor,
  anEmbed,
  anId,
  aThread,
} from '../../../support/factories.js';

describe('foldThread', () => {
  /** A fold of a thread in which each of some messages links to one thing. */
  function aFold(ids: string[]) {
    const thread = aThread();
    const said = ids.map((id) => aMessage({ threadId: thread._id, content: `<#${id}>` }));
    const links = createServiceLinks({ publicUrl: 'https://archive.example', cdnUrl: null });
    const fold = foldThread({
      thread,
      channel: aChannel(),
      first: said[0]!,
      starting: said[0]!,
      links,
      version: 7,
      resolvedTags: parseResolvedTags('solved'),
    });
    return { said, fold };
  }
  const named = (ids: string[], name: string) =>
    new Map(ids.map((id) => [id, { kind: 'thread' as const, name: `${name}-${id}` }]));

  it('keeps the first name by which it shows what it links to', () => {
    const id = anId();
    const { said, fold } = aFold([id, id]);
    fold.add([said[0]!], { ids: [id], targets: named([id], 'Old') });
    fold.add([said[1]!], { ids: [id], targets: named([id], 'New') });
    expect([...fold.end().links]).to.deep.equal([[id, `Old-${id}`]]);
  });

  it('counts custom emojis by their ids, whatever they are called', () => {
    const { said, fold } = aFold([anId(), anId()]);
    const react = (id: string | null, name: string) => ({
      emoji: { id, name, animated: false },
      count: 1,
      userIds: [],
    });
    const reactions = [
      [react('1', 'ship'), react('2', 'ship'), react(null, '👍')],
      [react('1', 'boat'), react(null, '👍')],
    ];
    const messages = said.map((message, n) => ({ ...message, reactions: reactions[n]! }));
    fold.add(messages, { ids: [], targets: new Map() });
    expect(fold.end().item.facts.reactions).to.deep.equal([
      { emoji: '1', count: 2 },
      { emoji: '2', count: 1 },
      { emoji: '👍', count: 2 },
    ]);
  });

  it('shows names of the threads that it notes as linked, and of no other', () => {
    const ids = Array.from({ length: 1_001 }, () => anId());
    const { said, fold } = aFold(ids);
    const targets = named(ids, 'Name');
    const { bodyText, documents } = fold.add(said, { ids, targets });
    const shown = bodyText();
    const { item } = fold.end();
    expect(item.linksTo).to.have.length(1_000);
    const inBody = ids.filter((id) => shown.includes(`Name-${id}`));
    expect(inBody).to.deep.equal(item.linksTo);
    const unnoted = ids.find((id) => !item.linksTo.includes(id))!;
    expect(JSON.stringify(documents)).not.to.contain(`Name-${unnoted}`);
  });

  it('names those whom an embed mentions where they wrote before, in whatever pieces the thread is read', () => {
    const [ada, bob] = [anAuthor('ada'), anAuthor('bob')];
    const { said } = aFold([anId(), anId(), anId()]);
    const description = `<@${ada.id}> helped <@${bob.id}>`;
    const messages = said.map((message, n) => ({
      ...message,
      author: [ada, anAuthor('clyde'), bob][n]!,
      content: n === 1 ? '' : 'hello',
      embeds: n === 1 ? [anEmbed({ description })] : [],
    }));
    const links = { ids: [], targets: new Map() };
    const whole = aFold([anId()]).fold.add(messages, links);
    const { fold } = aFold([anId()]);
    const pieces = messages.map((message) => fold.add([message], links));
    const body = whole.bodyText();
    expect(pieces.map((piece) => piece.bodyText()).join('')).to.equal(body);
    const [, middle] = JSON.parse(`[${body}]`) as Message[];
    expect(middle!.embeds[0]!.description).to.equal(`@Ada helped <@${bob.id}>`);
    expect(whole.documents[1]!.content).to.equal('@Ada helped @unknown-user');
  });
});
