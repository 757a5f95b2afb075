import type {
  ExportEmbed,
  ExportIcon,
  ExportMedia,
} from '../../../shared/exportFormat/exportTypes.js';
import { isTimestamp, timestampToDateOrNull } from '../../../shared/exportFormat/timestamps.js';
import type { EmbedMedia, EmbedRecord } from '../../../shared/store/records.js';
import { webUrl } from './assetUrls.js';
import { cleanContent, cleanName, contentOrNull } from './cleanText.js';

/** An embed of the file as a record; `restore` puts ids back into the texts that the exporter flattens. */
export function mapEmbed(embed: ExportEmbed, restore: (text: string) => string): EmbedRecord {
  const restored = (text: string | null | undefined): string => restore(cleanContent(text));
  const images = embed.images ?? (embed.image ? [embed.image] : []);
  return {
    type: cleanName(embed.type, 'rich'),
    title: restored(embed.title) || null,
    description: restored(embed.description) || null,
    url: webUrl(embed.url),
    timestamp: embedTime(embed.timestamp),
    color: embedColor(embed.color),
    author: mapAuthor(embed.author),
    footer: mapFooter(embed.footer),
    thumbnail: mapMedia(embed.thumbnail),
    images: images.map(mapMedia).filter((image) => image !== null),
    video: mapMedia(embed.video),
    fields: (embed.fields ?? []).map((field) => ({
      name: restored(field.name),
      value: restored(field.value),
      inline: field.isInline ?? false,
    })),
  };
}

/** The author of an embed may set any time. A time beyond the last year that the archive accepts counts as none. */
function embedTime(timestamp: ExportEmbed['timestamp']): Date | null {
  return timestamp && isTimestamp(timestamp) ? timestampToDateOrNull(timestamp) : null;
}

function embedColor(color: ExportEmbed['color']): number | null {
  if (typeof color === 'number') return color;
  const hex = /^#([0-9a-f]{6})$/i.exec(color ?? '')?.[1];
  return hex === undefined ? null : Number.parseInt(hex, 16);
}

function mapAuthor(author: ExportEmbed['author']): EmbedRecord['author'] {
  const name = contentOrNull(author?.name);
  return name === null ? null : { name, url: webUrl(author?.url), iconUrl: iconOf(author) };
}

function mapFooter(footer: ExportEmbed['footer']): EmbedRecord['footer'] {
  const text = contentOrNull(footer?.text);
  return text === null ? null : { text, iconUrl: iconOf(footer) };
}

function iconOf(icon: ExportIcon | null | undefined): string | null {
  return originalUrl(icon?.iconCanonicalUrl, icon?.iconUrl);
}

/** Exporters and the platform write a size of 0 where they know none. */
function mapMedia(media: ExportMedia | null | undefined): EmbedMedia | null {
  const url = originalUrl(media?.canonicalUrl, media?.url);
  return url === null ? null : { url, width: media?.width || null, height: media?.height || null };
}

/** The original address where the file tells it, as the platform itself does. Null where no web address is told. */
function originalUrl(
  canonicalUrl: string | null | undefined,
  url: string | null | undefined,
): string | null {
  return webUrl(canonicalUrl) ?? webUrl(url);
}
