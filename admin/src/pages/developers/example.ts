/** A shell script that signs an event and sends it, with the secret left to be filled in. */
export function signingExample(url: string, companyId: number): string {
  return `SECRET='whsec_…'
BODY='{"event_type":"product_viewed","event_data":{"email":"ann@example.com","product_id":"7","product_name":"Mug"}}'
TIME=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl -sS '${url}' \\
  -H 'Content-Type: application/json' \\
  -H 'X-Company-ID: ${companyId}' \\
  -H "X-Webhook-Signature: t=$TIME,v1=$SIGNATURE" \\
  -d "$BODY"`;
}
