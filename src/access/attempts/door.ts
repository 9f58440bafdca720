/** Where credentials are presented. Counted separately: failing at one does not lock anyone out of the others. */
export type Door = 'api_key' | 'webhook' | 'bounces' | 'sms' | 'sign_in';
