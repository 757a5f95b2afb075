import { InvalidArgumentError } from 'commander';

/** Reads an argument that is a path. An empty one mostly comes from a variable of the shell that is not set. */
export function readPath(path: string): string {
  if (path !== '') return path;
  throw new InvalidArgumentError('It is empty.');
}

/** The same for an argument of several paths. */
export function readPaths(path: string, before: readonly string[] = []): string[] {
  return [...before, readPath(path)];
}
