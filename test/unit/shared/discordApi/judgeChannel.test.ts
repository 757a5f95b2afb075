import { expect } from 'chai';
import type { LiveChannel } from '../../../../shared/discordApi/answerTypes.js';
import {
  isVisibleForum,
  judgeChannel,
  type Judged,
} from '../../../../shared/discordApi/judgeChannel.js';

const VIEW = 1n << 10n;
const READ = 1n << 16n;
const BOTH = String(VIEW | READ);
const GUILD = '200000000000000001';
const BOT_ROLE = '200000000000000002';
const BOT = '200000000000000003';
const FORUM: LiveChannel = {
  id: '200000000000000004',
  type: 15,
  name: 'help',
  flags: 0,
  permission_overwrites: [],
};

function overwrite(id: string, type: number, { allow = 0n, deny = 0n }) {
  return { id, type, allow: String(allow), deny: String(deny) };
}

function judge(channel: Partial<LiveChannel> = {}, more: Partial<Judged> = {}, everyone = BOTH) {
  const roles = [
    { id: GUILD, name: '@everyone', permissions: everyone },
    { id: BOT_ROLE, name: 'Archive', permissions: BOTH },
  ];
  return judgeChannel({
    guild: { id: GUILD, owner_id: '200000000000000009', roles },
    channel: { ...FORUM, ...channel },
    bot: { userId: BOT, roleIds: [BOT_ROLE] },
    named: new Set(),
    ...more,
  });
}

const denied = (bits: bigint) => [
  overwrite(GUILD, 0, { deny: bits }),
  overwrite(BOT_ROLE, 0, { allow: VIEW | READ }),
];

describe('judgeChannel', () => {
  it('archives a forum that everyone may view and read', () => {
    expect(judge()).to.equal(null);
  });

  it('archives no forum that its overwrites or the role of everyone close', () => {
    for (const bits of [VIEW, READ, VIEW | READ]) {
      expect(judge({ permission_overwrites: denied(bits) })).to.contain('Not everyone');
    }
    expect(judge({}, {}, String(VIEW))).to.contain('Not everyone');
    expect(judge({}, {}, '0')).to.contain('Not everyone');
  });

  it('archives no forum of which the platform does not tell the overwrites, which may close it', () => {
    const { permission_overwrites: _untold, ...untold } = FORUM;
    const guild = { id: GUILD, roles: [{ id: GUILD, name: '@everyone', permissions: BOTH }] };
    for (const channel of [untold, { ...FORUM, permission_overwrites: null }]) {
      const bot = { userId: BOT, roleIds: [] };
      const problem = judgeChannel({ guild, channel, bot, named: new Set() });
      expect(problem).to.equal('The platform does not tell who may read it');
      expect(judgeChannel({ guild, channel, bot, named: new Set([FORUM.id]) })).to.equal(null);
    }
  });

  it('archives a forum that its overwrites open to everyone', () => {
    const open = [overwrite(GUILD, 0, { allow: VIEW | READ })];
    expect(judge({ permission_overwrites: open }, {}, '0')).to.equal(null);
  });

  it('ignores permissions that only some role or member has', () => {
    const some = [
      overwrite(GUILD, 0, { deny: VIEW }),
      overwrite('200000000000000005', 0, { allow: VIEW }),
      overwrite(BOT, 1, { allow: VIEW | READ }),
    ];
    expect(judge({ permission_overwrites: some })).to.contain('Not everyone');
  });

  it('archives no age-restricted or spoiler forum, and none of an age-restricted server', () => {
    expect(judge({ nsfw: true })).to.equal('It is age-restricted');
    expect(judge({ flags: 1 << 21 })).to.equal('It is a spoiler channel');
    for (const [level, problem] of [
      [0, null],
      [1, 'The server is age-restricted'],
      [2, null],
      [3, 'The server is age-restricted'],
    ] as const) {
      const roles = [{ id: GUILD, name: '@everyone', permissions: BOTH }];
      expect(judge({}, { guild: { id: GUILD, nsfw_level: level, roles } })).to.equal(problem);
    }
  });

  it('archives channels that the operator names, if the bot may read them', () => {
    const named = new Set([FORUM.id]);
    expect(judge({ nsfw: true, permission_overwrites: denied(VIEW) }, { named })).to.equal(null);
    const closed = [overwrite(BOT, 1, { deny: READ })];
    expect(judge({ permission_overwrites: closed }, { named })).to.contain('Read Message History');
  });

  it('says which permission the bot itself lacks', () => {
    const noView = [overwrite(BOT_ROLE, 0, { deny: VIEW })];
    expect(judge({ permission_overwrites: noView })).to.contain('View Channel');
    const noHistory = [overwrite(BOT, 1, { deny: READ })];
    expect(judge({ permission_overwrites: noHistory })).to.contain('Read Message History');
  });

  it('lets administrators read everything', () => {
    const closed = [overwrite(GUILD, 0, { deny: VIEW | READ })];
    expect(judge({ permission_overwrites: closed }, {}, String(1n << 3n))).to.equal(null);
  });
});

describe('isVisibleForum', () => {
  it('is true only for forums and media channels that are not hidden', () => {
    const types = [0, 2, 4, 5, 11, 13, 15, 16].filter((type) => isVisibleForum({ ...FORUM, type }));
    expect(types).to.deep.equal([15, 16]);
    expect(isVisibleForum({ ...FORUM, flags: (1 << 17) | (1 << 4) })).to.equal(false);
  });
});
