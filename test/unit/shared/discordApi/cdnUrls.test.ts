import { expect } from 'chai';
import { filePath, isAttachmentOf, unsignedUrl } from '../../../../shared/discordApi/cdnUrls.js';

const CDN = 'https://cdn.discordapp.com';

describe('filePath', () => {
  it('gives the path of a file of the platform, with its signature alone', () => {
    const paths = [
      '/attachments/1/2/a%20b.png',
      '/avatars/1/a_0f.gif',
      '/guilds/1/users/2/avatars/0f.png',
      '/icons/1/0f.png',
    ];
    for (const path of paths) {
      expect(filePath(`${CDN}${path}?size=512&width=3`, CDN)).to.equal(path);
      expect(filePath(`https://media.discordapp.net${path}`, CDN)).to.equal(path);
    }
    const signed = `${CDN}/attachments/1/2/a.png?ex=6&is=5&hm=f0&format=webp&`;
    expect(filePath(signed, CDN)).to.equal('/attachments/1/2/a.png?ex=6&is=5&hm=f0');
    expect(filePath('http://127.0.0.1:8080/icons/1/0f.png', 'http://127.0.0.1:8080')).to.equal(
      '/icons/1/0f.png',
    );
  });

  it('takes no other address for one of the platform', () => {
    const others = [
      'http://cdn.discordapp.com/icons/1/0f.png',
      'https://cdn.discordapp.com.evil.example/icons/1/0f.png',
      'https://cdn.discordapp.com:8443/icons/1/0f.png',
      'https://cdn.discordapp.com@169.254.169.254/icons/1/0f.png',
      'https://me:secret@cdn.discordapp.com/icons/1/0f.png',
      'https://evil.example/icons/1/0f.png#https://cdn.discordapp.com/',
      'https://discord.com/api/v10/users/@me',
      `${CDN}/embed/avatars/0.png`,
      `${CDN}/icons/1/../../api/x.png`,
      `${CDN}/attachments/1/2/a/b.png`,
      'file:///etc/passwd',
      'not a link',
    ];
    for (const address of others) expect(filePath(address, CDN), address).to.equal(null);
  });
});

describe('unsignedUrl', () => {
  it('takes the signature from a link to an attachment, and keeps the rest', () => {
    const link = `${CDN}/attachments/1/2/a.png`;
    expect(unsignedUrl(`${link}?ex=6&is=5&hm=f0&`)).to.equal(link);
    expect(unsignedUrl(`${link}?ex=6&is=5&hm=f0&width=3`)).to.equal(`${link}?width=3`);
    for (const other of [link, `${link}?`, `${CDN}/icons/1/0f.png?hm=f0`, '/attachments/?hm=1']) {
      expect(unsignedUrl(other)).to.equal(other);
    }
  });

  it('takes hardly any time for an address that an export has made up', () => {
    const long = 60_000;
    const forged = [
      '/attachments/'.repeat(long / 12),
      `${CDN}/attachments/?hm=1#${'?'.repeat(long)}x`,
      `${CDN}/attachments/${'&'.repeat(long)}x?hm=1`,
    ];
    const began = performance.now();
    for (const address of forged) unsignedUrl(address);
    expect(performance.now() - began).to.be.below(200);
  });
});

describe('isAttachmentOf', () => {
  it('is true for a file of the very channel and id', () => {
    const file = { channelId: '1', attachmentId: '2' };
    expect(isAttachmentOf(`${CDN}/attachments/1/2/a.png?ex=1`, file, CDN)).to.equal(true);
    for (const path of ['/attachments/9/2/a.png', '/attachments/1/9/a.png', '/icons/1/2.png']) {
      expect(isAttachmentOf(CDN + path, file, CDN), path).to.equal(false);
    }
    expect(isAttachmentOf('https://evil.example/attachments/1/2/a.png', file, CDN)).to.equal(false);
  });
});
