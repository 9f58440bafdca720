import type { Target, TargetShop } from './target.ts';

/** Sends a POST to the marketing API; returns the response's body. @throws Error for every status except 200 and 201 */
export async function marketingPost(
  { port }: Target,
  { companyId, key }: TargetShop,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}/marketing/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-company-id': String(companyId) },
    body: JSON.stringify(body),
  });
  if (response.status > 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
