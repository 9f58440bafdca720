import { describe, expect, it } from 'vitest';
import { declineOf, withoutSecrets } from './declines.ts';

describe('declines of Stripe', () => {
  it.each([
    ['card_declined', 'insufficient_funds', 'insufficient_funds'],
    ['card_declined', 'generic_decline', 'card_declined'],
    ['card_declined', 'do_not_honor', 'card_declined'],
    ['card_declined', 'card_velocity_exceeded', 'limit_exceeded'],
    ['card_declined', 'currency_not_supported', 'method_unavailable'],
    ['card_declined', undefined, 'card_declined'],
    ['expired_card', 'expired_card', 'expired_card'],
    ['authentication_required', 'authentication_required', 'authentication_required'],
    ['payment_intent_authentication_failure', undefined, 'authentication_required'],
    ['incorrect_cvc', 'incorrect_cvc', 'card_declined'],
    ['amount_too_large', undefined, 'limit_exceeded'],
    ['processing_error', 'processing_error', 'other'],
    ['a_code_of_next_year', undefined, 'other'],
    [undefined, undefined, 'other'],
  ])('%s with %s is %s, and can be tried again', (code, reason, expected) => {
    const decline = declineOf({ code, decline_code: reason, message: 'Your card was declined.' });
    expect(decline).toEqual({ code: expected, message: 'Your card was declined.', retry: true });
  });

  it.each(['fraudulent', 'lost_card', 'stolen_card', 'pickup_card', 'merchant_blacklist'])(
    '%s is not tried again',
    (reason) => {
      expect(declineOf({ code: 'card_declined', decline_code: reason, message: 'No.' })).toEqual({
        code: 'fraud_suspected',
        message: 'No.',
        retry: false,
      });
    },
  );

  it.each(['do_not_try_again', 'stop_payment_order'])('%s is not tried again either', (reason) => {
    expect(declineOf({ code: 'card_declined', decline_code: reason })).toEqual({
      code: 'card_declined',
      message: 'Declined.',
      retry: false,
    });
  });

  it('show no key and no client secret', () => {
    const text = 'Keys sk_live_abc123, rk_test_****9x and whsec_z; pi_1_secret_2 too.';
    expect(withoutSecrets(text)).toBe('Keys …, … and …; … too.');
  });
});
