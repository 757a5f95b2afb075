import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway } from './gateway/gateway.js';
import { generateHistory } from './history/generateHistory.js';
import { createModel } from './model/createModel.js';
import { createLinks } from './present/links.js';
import { answerRequest, type RestDeps } from './rest/answer.js';
import { isOfCdn, sendFile } from './rest/cdn.js';
import { createFaults } from './rest/faults.js';
import { createLimits } from './rest/limits.js';
import { withDefaults, type DiscordOptions } from './settings.js';
import type { DiscordDouble } from './types.js';

/** Starts a double of the platform on a free port of this machine, with the servers and histories of its seed. */
export async function startDiscord(options: DiscordOptions = {}): Promise<DiscordDouble> {
  const settings = withDefaults(options);
  const model = createModel(settings.startAt);
  generateHistory(model, settings);
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (isOfCdn(path)) sendFile(response, `${cdnUrl}${path}`, links);
    else {
      answerRequest(deps, request, response).catch((error: unknown) => {
        response.destroy();
        throw error;
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cdnUrl = settings.cdnUrl ?? `http://${host}`;
  const gatewayUrl = `ws://${host}`;
  const links = createLinks(model, cdnUrl, settings);
  let resets = 0;
  const token = (): string => `planted-bot-token-${settings.seed}-${resets}`;
  const resetToken = (): void => {
    resets += 1;
    gateway.close(4004, 'Authentication failed');
  };
  const gateway = createGateway({
    server,
    model,
    links,
    settings,
    url: gatewayUrl,
    token,
    resetToken,
  });
  const deps: RestDeps = {
    context: {
      model,
      links,
      settings,
      gatewayUrl,
      seesContent: settings.messageContent,
      identifiesLeft: () => Math.max(0, gateway.identifiesLeft),
    },
    limits: createLimits(settings),
    faults: createFaults(),
    token,
    requests: [],
    listeners: new Set(),
  };
  return {
    url: `http://${host}/api/v10`,
    cdnUrl,
    gatewayUrl,
    model,
    settings,
    requests: deps.requests,
    limits: deps.limits,
    faults: deps.faults,
    gateway,
    resetToken,
    get token() {
      return token();
    },
    onAnswer(listener) {
      deps.listeners.add(listener);
      return () => void deps.listeners.delete(listener);
    },
    isFreshLink: (url) => links.open(url) !== null,
    async close() {
      gateway.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
