import type { Correlation } from '../lib/tracing/correlation.ts';
import { startCorrelated } from '../lib/tracing/item-spans.ts';
import { type Attributes, errorKind } from '../lib/tracing/spans.ts';
import type { SafeFetch, SafeRequest, SafeResponse } from './safe-fetch.ts';

/** What a webhook is called for. */
export interface CalledFor {
  companyId: number;
  correlation: Correlation | null;
  /** Counted from 1. */
  attempt: number;
  attributes: Attributes;
}

/**
 * Calls a webhook as part of the trace of the request that caused it, if there is one; the receiver gets the `traceparent` header. The span
 * names only the host, because paths and queries of webhooks hold secrets.
 */
export async function tracedFetch(
  { fetch }: Pick<SafeFetch, 'fetch'>,
  request: SafeRequest,
  { companyId, correlation, attempt, attributes }: CalledFor,
): Promise<SafeResponse> {
  const { method, url } = request;
  const span = startCorrelated(method, correlation, {
    kind: 'client',
    attributes: {
      'http.request.method': method,
      ...(URL.canParse(url) ? { 'server.address': new URL(url).hostname } : {}),
      ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
      'tradeloom.company.id': companyId,
      ...attributes,
    },
  });
  if (span === null) return fetch(request);
  try {
    const response = await fetch({ ...request, headers: { ...request.headers, traceparent: span.traceparent } });
    span.set({ 'http.response.status_code': response.status });
    if (response.status >= 400) span.fail(String(response.status));
    return response;
  } catch (error) {
    span.fail(errorKind(error));
    throw error;
  } finally {
    span.end();
  }
}
