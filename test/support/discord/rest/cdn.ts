import type { ServerResponse } from 'node:http';
import type { Links } from '../present/links.js';

/** A picture with one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PICTURES = /^\/(avatars|icons|emojis|stickers|embed\/avatars)\//;

/** Whether a path belongs to the CDN. */
export function isOfCdn(path: string): boolean {
  return path.startsWith('/attachments/') || PICTURES.test(path);
}

/** Sends a file: an attachment whose link is fresh, or a picture, whose links never expire. */
export function sendFile(response: ServerResponse, url: string, links: Links): void {
  const attachment = links.open(url);
  if (PICTURES.test(new URL(url).pathname)) {
    send(response, 200, 'image/png', PICTURE);
  } else if (attachment) {
    send(response, 200, attachment.contentType, bytesOf(attachment));
  } else {
    send(response, 404, 'text/plain', Buffer.from('This content is no longer available.'));
  }
}

function send(response: ServerResponse, status: number, type: string, bytes: Buffer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': bytes.length });
  response.end(bytes);
}

/** The content of an attachment, which repeats its id. */
function bytesOf({ id, size }: { id: string; size: number }): Buffer {
  return Buffer.alloc(size, `${id}\n`);
}
