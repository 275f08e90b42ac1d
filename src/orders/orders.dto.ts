import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDate, IsIn, IsInt, IsOptional, IsString, Matches, MaxLength, Min } from 'class-validator';
import { CURRENCIES, ORDER_STATUSES, type Currency, type OrderStatus } from '../data/desk-records.js';

export class FindOrderDto {
  @ApiProperty({ description: 'Order id.', example: 'ord_1001' })
  @Matches(/^ord_\d+$/)
  orderId!: string;
}

export class CancelOrderDto {
  @ApiProperty({ description: 'Order id.', example: 'ord_1001' })
  @Matches(/^ord_\d+$/)
  orderId!: string;

  @ApiProperty({ description: 'Why, for the customer.', example: 'Ordered twice by mistake' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  reason?: string;
}

export class OrderDto {
  @IsString()
  id!: string;

  @IsString()
  customerId!: string;

  @ApiProperty({ enum: ORDER_STATUSES })
  @IsIn(ORDER_STATUSES)
  status!: OrderStatus;

  @ApiProperty({ enum: CURRENCIES })
  @IsIn(CURRENCIES)
  currency!: Currency;

  @ApiProperty({ description: 'In cents.' })
  @IsInt()
  @Min(0)
  total!: number;

  @ApiProperty({ description: 'In cents.' })
  @IsInt()
  @Min(0)
  refunded!: number;

  @Type(() => Date)
  @IsDate()
  placedAt!: Date;
}
