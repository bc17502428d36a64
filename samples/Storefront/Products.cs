namespace NativeThreading.Samples.Storefront;

/// <summary>What every visitor wants, at once: nothing here waits.</summary>
internal static class Products
{
    public static Product Find(int id) => new(id, $"Product {id}", Price: 9.99m + id);
}
