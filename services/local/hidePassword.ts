const PASSWORD = /^([^:]+:\/\/[^:@/?#]*:)[^/?#]*@/;
const SECRET_OPTION = /([?&][^=&]*(?:password|token|properties)[^=&]*=)[^&]*/gi;

/** A server's URL as it may be shown: its password, also one among its options, as `***`. */
export function hidePassword(url: string): string {
  return url.replace(PASSWORD, '$1***@').replace(SECRET_OPTION, '$1***');
}
