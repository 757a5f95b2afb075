import { expect } from 'chai';
import { aLiveMessage } from '../../../support/liveAnswers.js';
import { createFreshLinks, type SentAttachment } from '../../../../shared/discordApi/freshLinks.js';
import type {
  PlatformClient,
  PlatformRequest,
} from '../../../../shared/discordApi/platformClient.js';
import {
  PlatformAnswerError,
  PlatformAway,
  PlatformForbidden,
  PlatformRefused,
} from '../../../../shared/discordApi/platformErrors.js';

const MOST_REFUSED = 50;

/** A platform that refreshes no link, and answers each request for a message with an error. */
function refusing(error: (n: number) => Error): { platform: PlatformClient; asked: string[] } {
  const asked: string[] = [];
  const get = ({ path }: PlatformRequest<unknown>) => {
    if (path.includes('refresh-urls')) {
      return Promise.reject(new PlatformRefused('It refreshes nothing', 400, null));
    }
    asked.push(path);
    return Promise.reject(error(asked.length));
  };
  return { platform: { get }, asked };
}

function file(n: number): SentAttachment {
  const url = `https://cdn.discordapp.com/attachments/1/${n}/a.png`;
  return { attachmentId: String(n), messageId: String(n), threadId: '1', url };
}

describe('fresh links', () => {
  const thrownBy = (asked: Promise<unknown>) => asked.catch((error: unknown) => error);

  it('remember that a file is gone, or that the bot may not see it', async () => {
    const { platform, asked } = refusing((n) =>
      n === 1
        ? new PlatformRefused('Unknown Message', 404, 10_008)
        : new PlatformForbidden('Missing Access', 403, 50_001),
    );
    const links = createFreshLinks(platform);
    for (const n of [1, 2]) {
      expect(await links.linkOf(file(1)), String(n)).to.equal(null);
      // The file may still be there.
      expect(await thrownBy(links.linkOf(file(2)))).to.be.instanceOf(PlatformForbidden);
    }
    expect(asked).to.have.length(2);
  });

  it('are taken from messages where the platform answers in an unknown form', async () => {
    const get = ({ route }: PlatformRequest<unknown>) =>
      route === 'refreshUrls'
        ? Promise.reject(new PlatformAnswerError('refreshed_urls is required'))
        : Promise.resolve({
            value: { attachments: [{ id: '1', url: file(1).url }] } as never,
            asOf: 1,
          });
    expect(await createFreshLinks({ get }).linkOf(file(1))).to.equal(file(1).url);
  });

  it('are not asked for many at once any more where the platform forbids that', async () => {
    const asked: string[] = [];
    const get = ({ route, path }: PlatformRequest<unknown>) => {
      asked.push(route);
      if (route === 'refreshUrls')
        return Promise.reject(new PlatformForbidden('Bots cannot use this', 403, 20_001));
      const id = path.split('/').at(-1)!;
      const { url } = file(Number(id));
      return Promise.resolve({ value: { attachments: [{ id, url }] } as never, asOf: 1 });
    };
    const links = createFreshLinks({ get });
    for (const n of [1, 2, 3]) expect(await links.linkOf(file(n))).to.equal(file(n).url);
    expect(asked).to.deep.equal(['refreshUrls', 'message', 'message', 'message']);
  });

  it('are found in the components of a message, too', async () => {
    const url = `${file(1).url}?ex=7fffffff&is=1&hm=1`;
    const items = [{ media: { url, attachment_id: '1' } }];
    const get = ({ path }: PlatformRequest<unknown>) => {
      const value = path.includes('refresh-urls')
        ? { refreshed_urls: [] }
        : { components: [{ type: 17, components: [{ type: 12, items }] }] };
      return Promise.resolve({ value: value as never, asOf: 1 });
    };
    expect(await createFreshLinks({ get }).linkOf(file(1))).to.equal(url);
  });

  it('lead only to the files of the recorded links', async () => {
    const elsewhere = 'https://cdn.discordapp.com/attachments/1/2/b.png';
    const refreshed = [{ original: file(1).url, refreshed: elsewhere }];
    const get = ({ path }: PlatformRequest<unknown>) => {
      const value = path.includes('refresh-urls')
        ? { refreshed_urls: refreshed }
        : { attachments: [{ id: '1', url: elsewhere }] };
      return Promise.resolve({ value: value as never, asOf: 1 });
    };
    expect(await createFreshLinks({ get }).linkOf(file(1))).to.equal(null);
  });

  for (const isGranted of [true, false])
    it(`do not take a file for gone where the bot may not read what messages say: ${isGranted ? 'it may' : 'it may not'}`, async () => {
      const blank = aLiveMessage({ content: '', attachments: [], embeds: [] });
      const get = ({ path }: PlatformRequest<unknown>) => {
        if (path.includes('refresh-urls'))
          return Promise.resolve({ value: { refreshed_urls: [] } as never, asOf: 1 });
        const value = path.endsWith('/applications/@me')
          ? { id: '1', flags: isGranted ? 1 << 18 : 0 }
          : blank;
        return Promise.resolve({ value: value as never, asOf: 1 });
      };
      const link = await thrownBy(createFreshLinks({ get }).linkOf(file(1)));
      if (isGranted) expect(link).to.equal(null);
      else {
        expect(link).to.be.instanceOf(PlatformAway);
        expect(String(link)).to.include('lacks the Message Content intent');
      }
    });

  it('count a platform that takes too long as away, and not a store', async () => {
    const late = new DOMException('The operation timed out', 'TimeoutError');
    const links = createFreshLinks(refusing(() => late).platform);
    expect(await thrownBy(links.linkOf(file(1)))).to.be.instanceOf(PlatformAway);
  });

  it('are no longer asked for in messages after many refusals', async () => {
    const { platform, asked } = refusing(
      () => new PlatformForbidden('Missing Access', 403, 50_001),
    );
    const links = createFreshLinks(platform);
    for (let n = 0; n < MOST_REFUSED; n += 1) {
      expect(await thrownBy(links.linkOf(file(n)))).to.be.instanceOf(PlatformForbidden);
    }
    expect(await thrownBy(links.linkOf(file(MOST_REFUSED)))).to.be.instanceOf(PlatformAway);
    expect(asked).to.have.length(MOST_REFUSED);
  });

  it('are asked for in few messages more than that where many are asked for at once', async () => {
    const { platform, asked } = refusing(
      () => new PlatformForbidden('Missing Access', 403, 50_001),
    );
    const links = createFreshLinks(platform);
    const files = Array.from({ length: 400 }, (_, n) => file(n));
    await Promise.all(files.map((one) => thrownBy(links.linkOf(one))));
    expect(asked).to.have.length(MOST_REFUSED);
  });
});
