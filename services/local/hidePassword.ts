const PASSWORD = /(:\/\/[^:@/?#]*:)[^/?#]*@/g;
const SECRET_OPTION = /([?&][^=&]*(?:password|token|properties)[^=&]*=)[^&]*/gi;

/**
 * A server's URL, or a list of URLs (Elasticsearch), in a form that may be shown: passwords, also those in options, are
 * replaced by `***`.
 */
export function hidePassword(urls: string): string {
  return urls.replace(PASSWORD, '$1***@').replace(SECRET_OPTION, '$1***');
}
