import { expect } from 'chai';
import { foldThread } from '../../../../services/indexer/views/foldThread.js';
import { createServiceLinks } from '../../../../services/indexer/views/serviceLinks.js';
import { parseResolvedTags } from '../../../../services/indexer/views/threadModel.js';
import { aChannel, aMessage, anId, aThread } from '../../../support/factories.js';

describe('foldThread', () => {
  it('shows names of the threads that it notes as linked, and of no other', () => {
    const thread = aThread();
    const ids = Array.from({ length: 1_001 }, () => anId());
    const said = ids.map((id) => aMessage({ threadId: thread._id, content: `<#${id}>` }));
    const links = createServiceLinks({ publicUrl: 'https://archive.example', cdnUrl: null });
    const fold = foldThread({
      ...{ thread, channel: aChannel(), first: said[0]!, ownersMessage: null, links, version: 7 },
      resolvedTags: parseResolvedTags('solved'),
    });
    const targets = new Map(ids.map((id) => [id, { kind: 'thread' as const, name: `Name-${id}` }]));
    const { bodyText, documents } = fold.add(said, { ids, targets });
    const shown = bodyText();
    const { item } = fold.end();
    expect(item.linksTo).to.have.length(1_000);
    const named = ids.filter((id) => shown.includes(`Name-${id}`));
    expect(named).to.deep.equal(item.linksTo);
    const unnoted = ids.find((id) => !item.linksTo.includes(id))!;
    expect(JSON.stringify(documents)).not.to.contain(`Name-${unnoted}`);
  });
});
