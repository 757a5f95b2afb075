import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import Router from '@koa/router';
import type { Queue } from 'bullmq';
import Joi from 'joi';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';
import { wholeNumberParameter } from '../../../shared/contract/fields.js';
import { isJobId } from '../../../shared/jobs/isJobId.js';
import { noteBoardAction } from './boardActions.js';
import type { RouteContext } from './mount.js';
import { queryReader } from './query.js';

/** What bull-board passes to the adapter of a web server. */
interface Board {
  queues: BullBoardQueues;
  uiConfig: UIConfig;
  entry: AppViewRoute;
  routes: AppControllerRoute[];
  views: string;
  statics: string;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** The most jobs of each state that a page shows. */
const MOST_JOBS = 100;
/**
 * Checks which page of jobs is asked for. bull-board itself accepts any number, and treats an empty value as absent.
 */
const checkPage = queryReader(
  Joi.object({
    page: wholeNumberParameter().min(1).empty(''),
    jobsPerPage: wholeNumberParameter().min(1).max(MOST_JOBS).empty(''),
  }),
);

/**
 * Serves bull-board's page, its files and its API for a queue, under the path `mounted`. For the audit trail, it adds
 * each change to `ctx.state.given`. Throws the errors of `noteBoardAction`, VALIDATION_ERROR for a page that cannot be
 * shown, NOT_FOUND, and the errors of the queue.
 */
export function mountBoard(queue: Queue, mounted: string): Middleware {
  const board = describeBoard(queue);
  const router = new Router({ prefix: mounted });
  const page = renderEntry(board, mounted);
  router.get([board.entry.route].flat(), (ctx: Context) => {
    ctx.type = 'html';
    ctx.body = page;
  });
  const files = new Set(readdirSync(board.statics, { recursive: true, encoding: 'utf8' }));
  router.get('/static/{*path}', (ctx: Context) => {
    const path = ctx.path.slice(`${mounted}/static/`.length).replaceAll('/', sep);
    if (!files.has(path) || extname(path) === '') throw new AppError('NOT_FOUND', 'No such path');
    ctx.state['isFile'] = true;
    ctx.type = extname(path);
    ctx.body = createReadStream(join(board.statics, path));
  });
  for (const route of board.routes) {
    router.register([route.route].flat(), [route.method].flat(), async (ctx: RouteContext) => {
      checkPage(ctx.querystring);
      const { jobId } = ctx.params;
      if (jobId !== undefined && !isJobId(jobId)) throw new AppError('NOT_FOUND', 'Job not found');
      if (!READS.has(ctx.method)) await noteBoardAction(ctx, route, queue);
      await answer(ctx, route, board);
    });
  }
  return router.routes() as unknown as Middleware;
}

async function answer(
  ctx: RouteContext,
  route: AppControllerRoute,
  { queues, uiConfig }: Board,
): Promise<void> {
  const { status = 200, body } = await route.handler({
    queues,
    uiConfig,
    query: ctx.query,
    params: ctx.params,
    // No change that is allowed here needs a body. Besides, the credential may expire before a slow body has arrived.
    body: {},
    headers: ctx.headers as Record<string, string | undefined>,
  });
  ctx.status = status;
  ctx.body = body;
}

/** Renders bull-board's page, without its links to fonts of other hosts. */
function renderEntry({ entry, uiConfig, views }: Board, basePath: string): string {
  const { name, params } = entry.handler({ basePath, uiConfig });
  return readFileSync(join(views, name), 'utf8')
    .replace(/<link [^>]*href="https?:[^>]*>/g, '')
    .replace(/<%[-=] (\w+) %>/g, (_, field: string) => params[field] ?? '');
}

/** Collects what bull-board passes to its adapter. */
function describeBoard(queue: Queue): Board {
  const board: Partial<Board> = {};
  const keep =
    <Name extends keyof Board>(name: Name) =>
    (value: Board[Name]) => {
      board[name] = value;
      return serverAdapter;
    };
  const serverAdapter: IServerAdapter = {
    setQueues: keep('queues'),
    setUIConfig: keep('uiConfig'),
    setEntryRoute: keep('entry'),
    setApiRoutes: keep('routes'),
    setViewsPath: keep('views'),
    setStaticPath: (_, path) => keep('statics')(path),
    // Errors are answered as everywhere in the API. bull-board's own handler would show their internals.
    setErrorHandler: () => serverAdapter,
  };
  const uiConfig = { boardTitle: 'Forum Archive', hideDocsLink: true };
  createBullBoard({ queues: [new BullMQAdapter(queue)], serverAdapter, options: { uiConfig } });
  return board as Board;
}
