/** What people have typed, as messages may show it. */

import { withoutSecrets } from '../../internal.js';

/** URLs lose their userinfo, query and fragment: terminals, logs of CI and screenshots keep what is printed. */
export function shown(text: string): string {
  return text.replace(/[a-z][a-z0-9+.-]*:\/\/\S*/gi, withoutSecrets);
}
