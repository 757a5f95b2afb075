import { expect } from 'chai';
import { interruptListener } from '../../../services/cli/interruptListener.js';

describe('interruptListener', () => {
  it('takes a SIGINT that npx passes on for the Ctrl-C that came with it, and a later one for another', () => {
    const heard: string[] = [];
    let now = 1_000;
    const first = (): void => void heard.push('first');
    const again = (): void => void heard.push('again');
    const listener = interruptListener({ first, again }, () => now);
    listener('SIGINT');
    now += 100;
    listener('SIGINT');
    expect(heard).to.deep.equal(['first']);
    now += 900;
    listener('SIGINT');
    expect(heard).to.deep.equal(['first', 'again']);
  });
});
