/** Where credentials are shown. Counted apart: whoever fails at one is not locked out of the others. */
export type Door = 'api_key' | 'webhook' | 'bounces' | 'sms' | 'sign_in';
