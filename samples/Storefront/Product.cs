namespace NativeThreading.Samples.Storefront;

/// <summary>Something to buy.</summary>
internal sealed record Product(int Id, string Name, decimal Price);
