import { expect } from 'chai';
import { inspectExport, readMessages } from '../../../../shared/exportFormat/readExport.js';
import { microsToTimestamp } from '../../../../shared/exportFormat/timestamps.js';
import { writeExport, type ExportContent } from '../../../../shared/exportFormat/writeExport.js';
import { sourceMessage, sourceThread } from '../../../../services/indexer/sources/exportFile.js';
import type { SourceMessage, SourceThread, Stamps } from '../../../../shared/store/records.js';
import { bytesOf } from '../../../support/exportFiles.js';
import { aMessage, anEmbed } from '../../../support/factories.js';
import { generateRecords, randomOf } from '../../../support/generateRecords.js';
import { rejectionOf } from '../../../support/temporaryFolder.js';

async function textOf(content: ExportContent): Promise<string> {
  let text = '';
  for await (const piece of writeExport(content)) text += piece;
  return text;
}

async function roundTrip(
  content: ExportContent,
): Promise<{ source: SourceThread; inferred: Stamps; messages: SourceMessage[] }> {
  const text = await textOf(content);
  const file = await inspectExport(bytesOf(text));
  if ('reason' in file) throw new Error(`${file.reason} at ${('at' in file && file.at) || ''}`);
  const messages: SourceMessage[] = [];
  for await (const batch of readMessages(bytesOf(text))) {
    messages.push(...batch.map((message) => sourceMessage(message, file)));
  }
  return { ...sourceThread(file), messages };
}

describe('writeExport', () => {
  it('writes files that read back the same, for 200 generated threads', async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { messages: generated, ...content } = generateRecords(randomOf(seed));
      const messages = generated.map((message, index) => ({
        ...message,
        asOf: content.asOf - index * 1_234_567,
      }));
      const recorded = messages.map(aMessage);
      const read = await roundTrip({ ...content, messages: recorded });
      expect(read.source, `seed ${seed}`).to.deep.equal(content);
      expect(read.inferred).to.deep.equal({});
      expect(read.messages, `seed ${seed}`).to.deep.equal(messages);
    }
  });

  it('writes the time of a message only where it is earlier than the file', async () => {
    const { messages, ...content } = generateRecords(randomOf(3));
    const recorded = [-1, 0, 1].map((more) =>
      aMessage({ ...messages[0], asOf: content.asOf + more }),
    );
    const text = await textOf({ ...content, messages: recorded });
    const written = JSON.parse(text) as { messages: { asOf?: string }[] };
    const earlier = microsToTimestamp(content.asOf - 1);
    expect(written.messages.map(({ asOf }) => asOf)).to.deep.equal([earlier, undefined, undefined]);
  });

  it('writes no time of locking for a thread that is not locked, as no import takes one', async () => {
    const { messages: _messages, ...content } = generateRecords(randomOf(1));
    const lockedAt = new Date('2026-01-02T03:04:05Z');
    const readBack = async (locked: boolean) => {
      const thread = { ...content.thread!, locked, lockedAt };
      return (await roundTrip({ ...content, thread, messages: [] })).source.thread?.lockedAt;
    };
    expect(await readBack(true)).to.deep.equal(lockedAt);
    expect(await readBack(false)).to.equal(null);
  });

  it('refuses a message that no import would take', async () => {
    const { messages, ...content } = generateRecords(randomOf(1));
    const text = 'x'.repeat(65_536);
    const field = { name: text, value: text, inline: false };
    const embed = anEmbed({ fields: Array.from({ length: 40 }, () => field) });
    const large = aMessage({ ...messages[0]!, embeds: [embed] });
    expect(await rejectionOf(textOf({ ...content, messages: [large] }))).to.equal(
      `Message ${large._id} is larger than 4194304 bytes`,
    );
  });

  it('writes a forum without threads', async () => {
    const { asOf, server, channel } = generateRecords(randomOf(7));
    const forum = { asOf, server, channel, thread: null };
    expect((await roundTrip({ ...forum, messages: [] })).source).to.deep.equal(forum);
  });

  it('writes one message on a line, and JSON without messages too', async () => {
    const { messages, ...content } = generateRecords(randomOf(3));
    const recorded = [aMessage(messages[0]), aMessage(messages[0])];
    expect(
      (await textOf({ ...content, messages: recorded })).match(/^ {4}\{"id"/gm),
    ).to.have.length(2);
    expect(JSON.parse(await textOf({ ...content, messages: [] }))).to.deep.include({
      messages: [],
    });
  });
});
