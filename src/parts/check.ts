/**
 * The check, with its advice. They are apart from the other parts because the light entries have them anyway, and load
 * nothing else of what they are not given.
 */

import { checkedOverride, checkedPolicy, refuseText } from '../core/policy/check/check.js';
import { remarksOn } from '../core/policy/check/rule-contradictions.js';
import type { Check } from '../core/policy/parts.js';
import { ignoresInit, standIn } from '../drivers/built-anew.js';
import { noticeAuth, noticeOthers, noticeReplaced, noticeRetryAgent } from '../drivers/other-retries.js';
import type { AxiosParts, FetchParts } from '../drivers/parts.js';
import { countsFirst, showRemarks } from '../kernel/advice.js';

/** What only those meet who write the program: advice, and the Requests of test tools. */
export const advice: Required<FetchParts & AxiosParts>['advice'] = {
  part: 'advice',
  showRemarks,
  countsFirst,
  noticeOthers,
  noticeReplaced,
  noticeAuth,
  noticeRetryAgent,
  ignoresInit,
  standIn,
};

export const check: Check = {
  part: 'check',
  needs: [advice],
  checkedPolicy,
  checkedOverride,
  refuseText,
  remarksOn,
};
