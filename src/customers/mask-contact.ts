/** The same customer with the middle of e-mail address and telephone number masked. */
export function maskContact<T extends { readonly email: string; readonly phone: string }>(customer: T): T {
  const [name = '', domain = ''] = customer.email.split('@');
  return {
    ...customer,
    email: `${name.slice(0, 1)}***@${domain}`,
    phone: `${customer.phone.slice(0, 3)} *** ${customer.phone.slice(-2)}`,
  };
}
