const PASSWORD = /^([^:]+:\/\/[^:@/?#]*:)[^/?#]*@/;
const SECRET_OPTION = /([?&][^=&]*(?:password|token|properties)[^=&]*=)[^&]*/gi;

/** A server's URL in a form that may be shown: passwords, also those in its options, are replaced by `***`. */
export function hidePassword(url: string): string {
  return url.replace(PASSWORD, '$1***@').replace(SECRET_OPTION, '$1***');
}
