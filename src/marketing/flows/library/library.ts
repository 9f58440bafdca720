import type { Definition } from '../definition/definition.ts';
import {
  abandonedCart,
  birthday,
  browseAbandonment,
  lowLoyalty,
  postPurchase,
  renewalNotice,
  replenishment,
  reviewRequest,
  vip,
  welcome,
  winBack,
} from './definitions.ts';

/** A flow that callers can copy as a draft. */
interface LibraryFlow {
  library_name: string;
  description: string;
  name: string;
  trigger_type: string;
  definition: Definition;
}

export const LIBRARY: readonly LibraryFlow[] = [
  {
    library_name: 'welcome',
    description: 'Greets new customers with four mails over two weeks; the last one only where no order came.',
    name: 'Welcome',
    trigger_type: 'customer_created',
    definition: welcome(),
  },
  {
    library_name: 'abandoned-cart',
    description: 'Reminds of a cart after an hour, and of a large one again after a day; ends with the order.',
    name: 'Abandoned cart',
    trigger_type: 'cart_abandoned',
    definition: abandonedCart(),
  },
  {
    library_name: 'browse-abandonment',
    description: 'Writes about a product that was looked at and not bought, once a week at most.',
    name: 'Browse abandonment',
    trigger_type: 'product_viewed',
    definition: browseAbandonment(),
  },
  {
    library_name: 'post-purchase',
    description: 'Thanks when an order is fulfilled, and asks for an opinion ten days later, by one of two subjects.',
    name: 'Post-purchase',
    trigger_type: 'order_completed',
    definition: postPurchase(),
  },
  {
    library_name: 'win-back',
    description: 'Writes to customers who have not ordered for 30, 45 and 60 days.',
    name: 'Win-back',
    trigger_type: 'order_placed',
    definition: winBack(),
  },
  {
    library_name: 'subscription-renewal',
    description:
      'Says three days before each renewal that it comes, whatever the frequency; a shorter one is told of at once.',
    name: 'Subscription renewal notice',
    trigger_type: 'subscription_scheduled',
    definition: renewalNotice(),
  },
  {
    library_name: 'low-loyalty',
    description:
      'Reminds customers with few loyalty points (contact property loyalty_points, kept by the shop) two weeks after a delivery.',
    name: 'Low-loyalty reminder',
    trigger_type: 'order_completed',
    definition: lowLoyalty(),
  },
  {
    library_name: 'review-request',
    description: 'Asks for a review a week after an order is fulfilled, and once more ten days later.',
    name: 'Review request',
    trigger_type: 'order_completed',
    definition: reviewRequest(),
  },
  {
    library_name: 'replenishment',
    description:
      'Reminds customers in their own rhythm: after a week, a month or longer, by the time between their orders.',
    name: 'Replenishment',
    trigger_type: 'order_placed',
    definition: replenishment(),
  },
  {
    library_name: 'birthday',
    description: 'Writes every year on the birthday (contact property birthday, such as 1990-05-21).',
    name: 'Birthday',
    trigger_type: 'customer_created',
    definition: birthday(),
  },
  {
    library_name: 'vip',
    description: 'Tags and thanks customers with the order that brings them to 500 in all, and tells the team.',
    name: 'VIP',
    trigger_type: 'order_placed',
    definition: vip(),
  },
];
