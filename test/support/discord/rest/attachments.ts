import type { Handler } from './call.js';
import { invalidForm } from './restError.js';

/** Fresh links for 1 to 50 links to attachments, which may be signed or not. */
export const refreshUrls: Handler = ({ links, body }) => {
  const urls = (body as { attachment_urls?: unknown } | null)?.attachment_urls;
  if (!Array.isArray(urls) || urls.length < 1 || urls.length > 50) {
    throw invalidForm('attachment_urls', 'BASE_TYPE_BAD_LENGTH', 'Must be 1 to 50 in length.');
  }
  return {
    refreshed_urls: urls.map((original) => ({
      original: String(original),
      refreshed: links.refresh(String(original)),
    })),
  };
};
