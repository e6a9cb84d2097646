/** Runs in the page: sends one request with axios as the plan says, and reports the result as plain data. */

import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { attachRetry } from '../../src/adapters/axios/index.js';
import { type DecisionEvent, historyOf, type PolicyOptions } from '../../src/index.js';

export interface Plan {
  readonly request: PlannedRequest;
  /** In place of `data`, what cannot be handed to a page. */
  readonly body?: 'blob' | 'form' | 'params';
  readonly retry: PolicyOptions;
  /** Requested before, by the same instance: a success pays for a hedge. */
  readonly before?: string;
  /** The caller gives up during the first wait, in one of the two ways that axios has. */
  readonly giveUpBy?: 'signal' | 'token';
}

interface PlannedRequest extends Pick<AxiosRequestConfig, 'url' | 'method' | 'data' | 'responseType'> {
  readonly adapter: 'xhr' | 'fetch';
}

export interface Report {
  readonly response?: ResponseReport;
  readonly error?: ErrorReport;
  /** The reason of each decision, as `historyOf` tells it. */
  readonly reasons: readonly string[] | undefined;
  readonly decisions: readonly DecisionReport[];
}

export interface ResponseReport {
  readonly status: number;
  readonly data: unknown;
}

export interface ErrorReport {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
  readonly status: number | undefined;
  readonly isAxiosError: boolean;
  /** By the word of the axios that sent the request, and by its class. */
  readonly isCanceledError: boolean;
  readonly adapter: unknown;
}

export interface DecisionReport {
  readonly scope: string;
  readonly reason: string;
  readonly delayMs: number | undefined;
  readonly waitFrom: string | undefined;
}

declare global {
  function perform(plan: Plan): Promise<Report>;
}

globalThis.perform = async ({ request, body, retry, before, giveUpBy }) => {
  const decisions: DecisionReport[] = [];
  const { signal, cancelToken, giveUp } = waysToGiveUp(giveUpBy);
  const instance = axios.create();
  const detach = attachRetry(instance, {
    ...retry,
    observe: (event) => {
      if (event.type !== 'decision') return;
      decisions.push(reportOn(event));
      // The wait begins when this returns.
      if (event.decision.action === 'retry') setTimeout(giveUp);
    },
  });
  try {
    if (before !== undefined) await instance.get(before);
    const data = body === undefined ? request.data : bodies[body]();
    const response = await instance.request({ ...request, data, ...signal, ...cancelToken });
    return { response: await reportOnResponse(response), reasons: reasonsOf(response), decisions };
  } catch (error) {
    return { error: reportOnError(error), reasons: reasonsOf(error), decisions };
  } finally {
    detach();
    // Unhandled rejections are reported at the end of a task.
    await new Promise((resolve) => setTimeout(resolve));
  }
};

const bodies = {
  blob: () => new Blob(['half a ', 'blob']),
  params: () => new URLSearchParams({ item: 'tea & cake' }),
  form: () => {
    const form = new FormData();
    form.append('item', 'tea');
    form.append('file', new Blob(['cake']), 'cake.txt');
    return form;
  },
};

function waysToGiveUp(by: Plan['giveUpBy']): {
  signal?: { signal: AbortSignal };
  cancelToken?: Pick<Required<AxiosRequestConfig>, 'cancelToken'>;
  giveUp: () => void;
} {
  if (by === 'signal') {
    const controller = new AbortController();
    return { signal: { signal: controller.signal }, giveUp: () => controller.abort() };
  }
  if (by === 'token') {
    const source = axios.CancelToken.source();
    return { cancelToken: { cancelToken: source.token }, giveUp: () => source.cancel() };
  }
  return { giveUp: () => {} };
}

function reportOn({ scope, decision }: DecisionEvent): DecisionReport {
  const { reason, delayMs } = decision;
  return { scope, reason, delayMs, waitFrom: decision.action === 'retry' ? decision.waitFrom : undefined };
}

async function reportOnResponse({ status, data }: AxiosResponse<unknown>): Promise<ResponseReport> {
  return { status, data: data instanceof ReadableStream ? await new Response(data).text() : data };
}

function reportOnError(error: unknown): ErrorReport {
  const { name, code, message, response, config } = error as Error & {
    readonly code?: string;
    readonly response?: AxiosResponse;
    readonly config?: AxiosRequestConfig;
  };
  return {
    name,
    code,
    message,
    status: response?.status,
    isAxiosError: axios.isAxiosError(error),
    isCanceledError: axios.isCancel(error) && error instanceof axios.CanceledError,
    adapter: config?.adapter,
  };
}

function reasonsOf(result: unknown): string[] | undefined {
  return historyOf(result)?.map(({ decision }) => decision.reason);
}
