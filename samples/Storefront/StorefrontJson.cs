using System.Text.Json.Serialization;

namespace NativeThreading.Samples.Storefront;

/// <summary>Serialization without reflection, for trimmed and native applications.</summary>
[JsonSerializable(typeof(Product))]
[JsonSerializable(typeof(Report))]
internal sealed partial class StorefrontJson : JsonSerializerContext;
